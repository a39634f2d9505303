/** The event stream of one job. */
import { PATIENCE_MS, until } from '../support/until';
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { eventsOf, parseEvents, textUntil, textWithin } from './support/events';
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

test('a stream reports status, progress, previews and outputs, and the final status last', async () => {
	sandbox.configure({ workers: 0 });
	const id = await hosted.started(slowPicture(5));
	const stream = await streamOf(id);
	sandbox.configure({ workers: 1 });
	const events = await eventsOf(stream);
	expect(events.filter(({ event }) => event === 'status').map(({ data }) => data)).toEqual([
		{ status: 'queued', queue_position: 1 },
		{ status: 'running', queue_position: null },
		{ status: 'succeeded', queue_position: null },
	]);
	expect(events.at(-1)?.event).toBe('status');
	const values = events.filter(({ event }) => event === 'progress').map(({ data }) => Number(data.value));
	expect([values, values.at(-1)]).toEqual([[...values].sort((left, right) => left - right), 1]);
	expect(events.find(({ data }) => data.step === 3)?.data).toMatchObject({ current_node: 'sample', steps: 5, nodes_total: 3 });
	expect(events.find(({ event }) => event === 'preview')?.data).toMatchObject({ node_id: 'sample', content_type: 'image/jpeg' });
	const { outputs } = (await hosted.call('GET', `/jobs/${id}`)).json as { outputs: Array<Record<string, unknown>> };
	expect(events.filter(({ event }) => event === 'output').map(({ data }) => data.id)).toEqual(outputs.map((output) => output.id));
});

test('a stream that opens late begins with the current status, progress and preview', async () => {
	const id = await hosted.started(slowPicture(1_000));
	await until(() => sandbox.ledger.executedNodes.some(({ jobId, nodeId }) => jobId === id && nodeId === 'sample'));
	await textUntil(await streamOf(id), (text) => text.includes('event: preview\n'));
	const text = await textUntil(await streamOf(id), (soFar) => parseEvents(soFar).length >= 3);
	expect(parseEvents(text).slice(0, 3)).toMatchObject([
		{ event: 'status', data: { status: 'running' } },
		{ event: 'progress', data: { current_node: 'sample' } },
		{ event: 'preview', data: { node_id: 'sample' } },
	]);
	await hosted.call('POST', `/jobs/${id}/cancel`);
	await hosted.read(id);
	expect(await eventsOf(await streamOf(id))).toMatchObject([{ event: 'status', data: { status: 'canceled' } }, { event: 'progress' }]);
});

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
	await textUntil(await streamOf(id), (text) => text.includes('succeeded'));
	const { text, cut } = await textWithin(stream, 100);
	expect([parseEvents(text).length, text.includes('keep-alive'), cut]).toEqual([1, false, false]);
});

test('error_event ends a stream with an error', async () => {
	sandbox.inject({ on: STREAM, fault: { kind: 'error_event', code: 'upstream_error', afterEvents: 1 } });
	const events = await eventsOf(await streamOf(await hosted.started(slowPicture(5))));
	expect(events.map(({ event }) => event)).toEqual(['status', 'error']);
	expect(events[1]?.data).toMatchObject({ error: { code: 'upstream_error' } });
});
