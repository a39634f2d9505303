import { ApiError, clock, ConnectionError } from '../../../client';
import { ServerContact, SilentSeries } from '../../../client/contact/serverContact';
import { useStillClock } from '../../support/stillClock';

const moveOn = useStillClock();
const refused = new ConnectionError({ trouble: 'refused', origin: 'http://127.0.0.1', mayHaveArrived: false, message: 'refused' });
const ANSWER = { status: 200, isHtml: false };

test('the silence of each of two servers counts from its first failure to an answer that is none of a gateway', () => {
	const [one, other] = [new ServerContact(60_000), new ServerContact(10_000)];
	for (const failing of [[one], [one, other], [one, other]]) {
		for (const contact of failing) contact.noteFailure(refused, clock.now());
		moveOn(2_000);
	}
	for (const gateway of [
		{ status: 502, isHtml: false },
		{ status: 200, isHtml: true },
	])
		one.noteAnswer(gateway);
	expect([one.remainingMs, other.remainingMs]).toEqual([54_000, 6_000]);
	one.noteAnswer(ANSWER);
	expect([one.remainingMs, other.remainingMs]).toEqual([undefined, 6_000]);
});

test('a server gets more time when it has our work and has answered before', () => {
	const contact = new ServerContact(60_000, { lostAfterMs: 300_000 });
	contact.noteWork();
	expect(contact.limitMs).toBe(60_000);
	contact.noteAnswer(ANSWER);
	expect(contact.limitMs).toBe(300_000);
});

test('each of two series of failures ends with the limit, although the server answers other requests in between', () => {
	const contact = new ServerContact(10_000);
	const [series, later] = [new SilentSeries(contact), new SilentSeries(contact)];
	contact.noteFailure(refused, clock.now());
	expect(series.remainingAfter(refused)).toBe(10_000);
	moveOn(4_000);
	contact.noteAnswer(ANSWER);
	contact.noteFailure(refused, clock.now());
	expect([series, later].map((one) => one.remainingAfter(refused))).toEqual([6_000, 10_000]);
	expect(series.remainingAfter(new ApiError({ interface: 'v2', code: 'x', status: 400, message: 'no' }))).toBeUndefined();
	expect(series.remainingAfter(refused)).toBe(10_000);
});
