import { ApiError, ConnectionError, type ConnectionTrouble, UnreadableAnswerError } from '../../../client';
import { Backoff, BACKOFF_TIMES } from '../../../client/transport/backoff';

const connection = (trouble: ConnectionTrouble) =>
	new ConnectionError({ trouble, origin: 'http://x', mayHaveArrived: false, message: trouble });
const refusal = (status: number, retryAfterMs?: number) => new ApiError({ interface: 'v1', code: 'x', status, message: '', retryAfterMs });
const unreadable = (status: number) => new UnreadableAnswerError({ status, contentType: null, reason: 'html', address: '' });

/** Within a quarter of it. */
const around = (milliseconds: number, actual: number): void => {
	expect(actual).toBeGreaterThanOrEqual(milliseconds * 0.75);
	expect(actual).toBeLessThanOrEqual(milliseconds * 1.25);
};

test('grows from 1 s to 60 s, never by the same steps', () => {
	const backoff = new Backoff(BACKOFF_TIMES);
	const pauses = Array.from({ length: 8 }, () => backoff.pauseMs(connection('refused'), undefined));
	[1, 2, 4, 8, 16, 32, 60, 60].forEach((seconds, at) => around(seconds * 1_000, pauses[at] ?? 0));
	expect(new Set(pauses.map((pause, at) => pause / 2 ** at)).size).toBe(8);
});

test('a connection that lasted starts it anew, and is tried again within a second', () => {
	const backoff = new Backoff(BACKOFF_TIMES);
	for (let failure = 0; failure < 5; failure++) backoff.pauseMs(connection('lost'), 9_999);
	around(32_000, backoff.pauseMs(connection('lost'), 9_999));
	expect(backoff.pauseMs(connection('lost'), 10_000)).toBeLessThanOrEqual(1_000);
	around(1_000, backoff.pauseMs(connection('refused'), undefined));
});

test.each<[string, Error]>([
	['a wrong key', refusal(401)],
	['a key without the right', refusal(403)],
	['an address that is no socket', unreadable(200)],
	['an address that is nothing', unreadable(404)],
	['an address that must not be called', connection('blocked')],
	['an address that is none', connection('invalid_address')],
])('%s is tried again slowly', (_what, error) => {
	const backoff = new Backoff(BACKOFF_TIMES);
	for (let failure = 0; failure < 3; failure++) around(300_000, backoff.pauseMs(error, undefined));
	around(1_000, backoff.pauseMs(connection('refused'), undefined));
});

test.each<[string, Error]>([
	['a front without a service behind it', unreadable(502)],
	['a service in trouble', refusal(500)],
	['a certificate that may be renewed', connection('tls')],
	['a name that may come back', connection('dns')],
	['silence', connection('timeout')],
])('%s is tried again soon', (_what, error) => {
	around(1_000, new Backoff(BACKOFF_TIMES).pauseMs(error, undefined));
});

test('a service that asks for more time gets it', () => {
	const backoff = new Backoff(BACKOFF_TIMES);
	expect(backoff.pauseMs(refusal(503, 20_000), undefined)).toBe(20_000);
	around(2_000, backoff.pauseMs(refusal(503, 1_000), undefined));
});
