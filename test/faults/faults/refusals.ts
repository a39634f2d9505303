import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '../proxy/strangers';
import { ANSWERED, type Delivery, type Exchange, type Fault, type RawAnswer, WITH_BODY } from '../shapes';

/** The envelope of v2, which the other interfaces read as well. */
export const refusal = (status: number, code: string, headers: RawAnswer['headers'] = {}): RawAnswer => ({
	status,
	headers: { 'content-type': 'application/json', ...headers },
	body: Buffer.from(JSON.stringify({ error: { code, message: `The service says ${code}`, details: {} } })),
});

const page = (status: number): RawAnswer => ({
	status,
	headers: { 'content-type': 'text/html; charset=utf-8' },
	body: Buffer.from(`<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><hr>nginx</body></html>`),
});

const instead = (name: string, family: string, rest: Partial<Fault> & { seen: Fault['seen'] }, given: () => RawAnswer): Fault => ({
	name,
	family,
	on: ANSWERED,
	delivery: 'nothing',
	strike: async (exchange) => {
		await (rest.delivery === 'whole' ? exchange.deliver() : exchange.received());
		answer(exchange, given());
	},
	...rest,
});

const said = (status: number, code: string): Fault =>
	instead(`${status} in the service’s words`, 'status', { seen: { status, code } }, () => refusal(status, code));
const paged = (status: number, delivery: Delivery = 'nothing'): Fault =>
	instead(
		`${status} as a page${delivery === 'whole' ? ', delivered' : ''}`,
		'status',
		{ on: WITH_BODY, seen: { status, page: true }, delivery },
		() => page(status),
	);
const wordless = (status: number): Fault =>
	instead(`${status} without a word`, 'status', { seen: { status } }, () => ({ status, headers: {}, body: Buffer.alloc(0) }));

const RETRY_AFTER: Record<string, string | (() => string)> = {
	'1 second': '1',
	'0 seconds': '0',
	'a year': '31536000',
	'a date to come': () => new Date(Date.now() + 2_000).toUTCString(),
	'a date in 9999': 'Fri, 31 Dec 9999 23:59:59 GMT',
	words: 'soon',
};

const later = (status: number, code: string): Fault[] =>
	Object.entries(RETRY_AFTER).map(([form, value]) =>
		instead(`${status}, Retry-After of ${form}`, 'retry after', { seen: { status, code } }, () =>
			refusal(status, code, { 'retry-after': typeof value === 'string' ? value : value() }),
		),
	);

/** Answers that are none of what was asked for, but good HTTP. */
export const refusals: readonly Fault[] = [
	said(401, 'unauthorized'),
	said(403, 'forbidden'),
	said(404, 'not_found'),
	said(429, 'rate_limited'),
	said(500, 'internal_error'),
	said(501, 'not_implemented'),
	said(502, 'upstream_unreachable'),
	said(503, 'service_unavailable'),
	said(504, 'upstream_timeout'),
	...[401, 403, 404, 429, 500, 502, 503, 504].map((status) => paged(status)),
	...[500, 502, 503, 504].map((status) => paged(status, 'whole')),
	...[401, 403, 404, 429, 500, 502, 503, 504].map(wordless),
	...later(429, 'rate_limited'),
	...later(503, 'service_unavailable'),
];

/** Delivered after the caller received an error. */
const late = (name: string, seen: Fault['seen'], tell: (exchange: Exchange) => void): Fault => ({
	name: `late delivery, ${name}`,
	family: 'delivery',
	on: ANSWERED,
	delivery: 'late',
	seen,
	strike: async (exchange) => {
		await exchange.received();
		exchange.deliverLater(delay(300));
		tell(exchange);
	},
});

const lateRefusal = (status: number, code: string): Fault =>
	late(String(status), { status, code }, (exchange) => answer(exchange, refusal(status, code)));

const twice = (told: 'first answer' | 'second answer' | 'no answer'): Fault => ({
	name: `double delivery, ${told} told`,
	family: 'delivery',
	on: ANSWERED,
	delivery: 'twice',
	seen: told === 'no answer' ? 'lost' : 'fine',
	strike: async (exchange) => {
		const answers = [await exchange.deliver(), await exchange.deliver()] as const;
		if (told === 'no answer') exchange.socket.resetAndDestroy();
		else answer(exchange, answers[told === 'first answer' ? 0 : 1]);
	},
});

/** Requests that reach the service late, or twice. */
export const deliveries: readonly Fault[] = [
	late('connection reset', 'lost', ({ socket }) => void socket.resetAndDestroy()),
	lateRefusal(502, 'upstream_unreachable'),
	lateRefusal(504, 'upstream_timeout'),
	twice('first answer'),
	twice('second answer'),
	twice('no answer'),
];
