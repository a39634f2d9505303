/** The event stream of one job. */
import { PATIENCE_MS, until } from '../support/until';
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { eventsOf, parseEvents, textWithin } from './support/events';
import { picture, slowPicture } from './support/graphs';

const STREAM = 'GET /api/v2/jobs/:id/events';

let sandbox: Sandbox;
let hosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.configure({ progressIntervalMs: 0, keepAliveMs: 15_000, workers: 4 });
	sandbox.clearFaults();
});

const streamOf = async (jobId: string, caller = hosted) => await caller.fetch('GET', `/jobs/${jobId}/events`);

test('a self-hosted surface refuses the ninth open stream, until another one ends', async () => {
	const local = new Caller(sandbox, 'self_hosted');
	sandbox.configure({ workers: 0 });
	const id = await local.started(picture());
	const leave = new AbortController();
	const open = async (signal?: AbortSignal) => await local.fetch('GET', `/jobs/${id}/events`, signal === undefined ? {} : { signal });
	const first = await open(leave.signal);
	const others = [];
	for (let stream = 1; stream < 8; stream++) others.push(await open());
	const refused = await open();
	expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
		429,
		'5',
		{ error: { code: 'too_many_streams' } },
	]);
	leave.abort();
	await expect(first.text()).rejects.toThrow();
	await until(() => sandbox.requests(STREAM, 'self_hosted')[0]?.finished === true);
	const again = await open();
	expect(again.status).toBe(200);
	await Promise.all([...others, again].map(async (response) => await response.body?.cancel()));
});

test('lost_stream cuts a stream behind the events that were sent', async () => {
	sandbox.inject({ on: STREAM, fault: { kind: 'lost_stream', afterEvents: 2 } });
	const { text, cut } = await textWithin(await streamOf(await hosted.started(slowPicture(20))), PATIENCE_MS);
	expect([parseEvents(text).length, cut]).toEqual([2, true]);
});

test('silent_stream keeps a stream open and sends nothing more, not even comments', async () => {
	sandbox.configure({ keepAliveMs: 10 });
	sandbox.inject({ on: STREAM, fault: { kind: 'silent_stream', afterEvents: 1 } });
	const id = await hosted.started(slowPicture(5));
	const stream = await streamOf(id);
	await hosted.read(id);
	const { text, cut } = await textWithin(stream, 100);
	expect([parseEvents(text).length, text.includes('keep-alive'), cut]).toEqual([1, false, false]);
});

test('error_event ends a stream with an error', async () => {
	sandbox.inject({ on: STREAM, fault: { kind: 'error_event', code: 'upstream_error', afterEvents: 1 } });
	const events = await eventsOf(await streamOf(await hosted.started(slowPicture(5))));
	expect(events.map(({ event }) => event)).toEqual(['status', 'error']);
	expect(events[1]?.data).toMatchObject({ error: { code: 'upstream_error' } });
});
