/** The event stream of one job. */
import { PATIENCE_MS, until } from '../support/until';
import { startSandbox, type Sandbox } from '../../sandbox';
import { Caller } from './support/caller';
import { eventsOf, parseEvents, textUntil, textWithin } from './support/events';
import { picture, slowPicture } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.configure({ progressIntervalMs: 0, keepAliveMs: 15_000, maxStreams: null, workers: 4 });
	sandbox.clearFaults();
});

const streamOf = async (jobId: string, caller = hosted) => await caller.fetch('GET', `/jobs/${jobId}/events`);

test('status, progress, previews and outputs, the terminal status last', async () => {
	sandbox.configure({ workers: 0 });
	const id = await hosted.started(slowPicture(5));
	const stream = await streamOf(id);
	expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
	expect(stream.headers.get('x-service-request-id')).toMatch(/^req_/);
	sandbox.configure({ workers: 1 });
	const events = await eventsOf(stream);

	const statuses = events.filter(({ event }) => event === 'status').map(({ data }) => data);
	expect(statuses).toEqual([
		{ status: 'queued', queue_position: 1 },
		{ status: 'running', queue_position: null },
		{ status: 'succeeded', queue_position: null },
	]);
	expect(events.at(-1)?.event).toBe('status');
	const values = events.filter(({ event }) => event === 'progress').map(({ data }) => Number(data.value));
	expect(values).toEqual([...values].sort((left, right) => left - right));
	expect(values.at(-1)).toBe(1);
	expect(events.find(({ data }) => data.step === 3)?.data).toMatchObject({
		current_node: 'sample',
		current_node_class: 'SandboxSampler',
		steps: 5,
		nodes_total: 3,
	});
	const preview = events.find(({ event }) => event === 'preview')?.data;
	expect(preview).toMatchObject({ node_id: 'sample', content_type: 'image/jpeg' });
	expect(Buffer.from(String(preview?.data_base64), 'base64').subarray(0, 2).toString('hex')).toBe('ffd8');
	const job = (await hosted.call('GET', `/jobs/${id}`)).json as { outputs: Array<Record<string, unknown>> };
	expect(events.filter(({ event }) => event === 'output').map(({ data }) => data.id)).toEqual(job.outputs.map((output) => output.id));
});

test('whoever comes late hears where the job stands', async () => {
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

test('progress comes in intervals, however fast the engine is', async () => {
	sandbox.configure({ progressIntervalMs: 100 });
	const id = await hosted.started(slowPicture(30));
	const startedAt = performance.now();
	const events = await eventsOf(await streamOf(id));
	const progress = events.filter(({ event }) => event === 'progress');
	expect(progress.length).toBeGreaterThanOrEqual(3);
	// Where it stands, at the beginning, each interval, and at each change of its node.
	expect(progress.length).toBeLessThanOrEqual(7 + (performance.now() - startedAt) / 100);
});

test('comments keep a quiet stream alive', async () => {
	sandbox.configure({ workers: 0, keepAliveMs: 20 });
	const id = await hosted.started(picture());
	await textUntil(await streamOf(id), (text) => text.split(': keep-alive\n\n').length > 3);
});

test('self-hosted has eight streams; one that ends makes room', async () => {
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
	await until(() => sandbox.requests('GET /api/v2/jobs/:id/events', 'self_hosted')[0]?.finished === true);
	const again = await open();
	expect(again.status).toBe(200);
	await Promise.all([...others, again].map(async (response) => await response.body?.cancel()));
});

test('lost_stream: what was sent before the loss arrives', async () => {
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'lost_stream', afterEvents: 2 } });
	const id = await hosted.started(slowPicture(20));
	const { text, cut } = await textWithin(await streamOf(id), PATIENCE_MS);
	expect([parseEvents(text).length, cut]).toEqual([2, true]);
});

test('silent_stream: the line stays open and nothing comes', async () => {
	sandbox.configure({ keepAliveMs: 10 });
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'silent_stream', afterEvents: 1 } });
	const id = await hosted.started(slowPicture(5));
	const stream = await streamOf(id);
	await hosted.read(id);
	const { text, cut } = await textWithin(stream, 100);
	expect([parseEvents(text).length, text.includes('keep-alive'), cut]).toEqual([1, false, false]);
	expect(sandbox.requests('GET /api/v2/jobs/:id/events').at(-1)).toMatchObject({ path: `/api/v2/jobs/${id}/events`, status: 200 });
});

test('error_event: the stream ends with an envelope', async () => {
	sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', fault: { kind: 'error_event', code: 'upstream_error', afterEvents: 1 } });
	const id = await hosted.started(slowPicture(5));
	const events = await eventsOf(await streamOf(id));
	expect(events.map(({ event }) => event)).toEqual(['status', 'error']);
	expect(events[1]?.data).toMatchObject({ error: { code: 'upstream_error' } });
});
