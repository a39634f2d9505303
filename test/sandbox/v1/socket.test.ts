/** `GET /ws` on hosted: every frame an account gets about its jobs. */
import { until } from '../../support/until';
import { startSandbox, type Sandbox } from '../../../sandbox';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';
import { Caller } from '../support/caller';
import { eventsOf } from '../support/events';
import { failing, picture, slowPicture } from '../support/graphs';
import { Listeners, refusal, type ListenOptions } from './support/socket';
import { V1 } from './support/v1';

let sandbox: Sandbox;
let v1: V1;
const listeners = new Listeners();
const connect = async (options: ListenOptions = {}) => await listeners.connect(sandbox, options);
beforeAll(async () => {
	sandbox = await startSandbox();
	v1 = new V1(sandbox);
});
afterAll(async () => await sandbox.close());
beforeEach(() => sandbox.configure({ workers: 4, keepAliveMs: 15_000, progressIntervalMs: 500, v1Previews: 'metadata' }));
afterEach(async () => await listeners.close(sandbox));

const talking = (text: string): ApiGraph => ({
	...picture(),
	talk: { class_type: 'SandboxTalk', inputs: { image: ['image', 0], text } },
	save: { class_type: 'SaveImage', inputs: { images: ['talk', 0], filename_prefix: 'talk' } },
});

test('connecting: recorded as GET /ws, listed, and greeted with status and sid', async () => {
	const listener = await connect({ clientId: 'client-1' });
	await until(() => listener.text.length > 0);
	expect(listener.frames[0]).toEqual({
		type: 'status',
		data: { status: { exec_info: { queue_remaining: 0 } }, sid: expect.any(String) as string },
	});
	expect(sandbox.sockets('hosted')).toEqual([
		{ surface: 'hosted', clientId: 'client-1', account: 'main', openedAt: expect.any(Number) as number, framesSent: 1 },
	]);
	const record = sandbox.requests('GET /ws', 'hosted').at(-1);
	expect(record).toMatchObject({
		path: '/ws',
		status: 101,
		finished: false,
		query: expect.stringContaining('clientId=client-1') as string,
	});
	listener.close();
	await until(() => record?.finished === true && sandbox.sockets().length === 0);
});

test.each([['wrong'], ['']])('token %j: the upgrade is answered 401', async (token) => {
	const { status, body } = await refusal(sandbox, { token });
	expect([status, JSON.parse(body)]).toEqual([401, { code: 'unauthorized', message: expect.any(String) as string }]);
	expect(sandbox.requests('GET /ws').at(-1)).toMatchObject({ status: 401 });
});

test('a plain GET is told that this is for WebSockets', async () => {
	expect(await v1.call('GET', '/ws')).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
});

test('status: broadcast when a job comes and when it ends', async () => {
	sandbox.configure({ workers: 0 });
	const listener = await connect();
	const jobId = await v1.started(picture());
	sandbox.configure({ workers: 1 });
	await listener.runEnded(jobId);
	await until(() => listener.of('status').length === 3);
	expect(listener.of('status').map(({ status }) => status)).toEqual(
		[0, 1, 0].map((queue_remaining) => ({ exec_info: { queue_remaining } })),
	);
});

test('the frames of a run, in order', async () => {
	const listener = await connect();
	const jobId = await v1.started(slowPicture(2));
	await listener.runEnded(jobId);
	const kinds = listener.frames
		.filter(({ data }) => data.prompt_id === jobId)
		.map(({ type, data }) => (type === 'executing' ? `${type} ${String(data.node)}` : type));
	expect(kinds.filter((kind) => kind !== 'progress_state')).toEqual([
		'notification',
		'execution_start',
		'execution_cached',
		'executing image',
		'executing sample',
		'progress',
		'progress',
		'executing save',
		'executed',
		'execution_success',
		'executing null',
	]);
	expect(listener.of('notification', jobId)).toEqual([{ value: expect.stringMatching(/\w/) as string, prompt_id: jobId }]);
	expect(listener.of('execution_start', jobId)).toEqual([{ prompt_id: jobId, timestamp: expect.any(Number) as number }]);
	expect(listener.of('execution_cached', jobId)).toMatchObject([{ nodes: [] }]);
	expect(listener.of('executing', jobId)[1]).toEqual({ prompt_id: jobId, node: 'sample', display_node: 'sample' });
	expect(listener.of('progress', jobId)).toEqual([1, 2].map((value) => ({ value, max: 2, prompt_id: jobId, node: 'sample' })));
	expect(listener.of('execution_success', jobId)).toEqual([{ prompt_id: jobId, timestamp: expect.any(Number) as number }]);
});

test('progress_state lists the nodes that have started, and no other', async () => {
	const listener = await connect();
	const jobId = await v1.started(slowPicture(2));
	await listener.runEnded(jobId);
	const states = listener.of('progress_state', jobId).map(({ nodes }) => nodes as Record<string, Record<string, unknown>>);
	expect(
		states.map((nodes) =>
			Object.entries(nodes).map(([id, { state, value, max }]) => `${id} ${String(state)} ${String(value)}/${String(max)}`),
		),
	).toEqual([
		['image running 0/1'],
		['image finished 1/1'],
		['image finished 1/1', 'sample running 0/1'],
		['image finished 1/1', 'sample running 1/2'],
		['image finished 1/1', 'sample running 2/2'],
		['image finished 1/1', 'sample finished 2/2'],
		['image finished 1/1', 'sample finished 2/2', 'save running 0/1'],
		['image finished 1/1', 'sample finished 2/2', 'save finished 1/1'],
	]);
	expect(states.at(-1)?.sample).toMatchObject({
		node_id: 'sample',
		prompt_id: jobId,
		display_node_id: 'sample',
		parent_node_id: null,
		real_node_id: 'sample',
	});
});

test('executed names files as the job read and view do', async () => {
	const listener = await connect();
	const job = await v1.finished(picture());
	const jobId = String(job.id);
	await listener.runEnded(jobId);
	const [executed] = listener.of('executed', jobId);
	expect(executed).toEqual({
		prompt_id: jobId,
		node: 'save',
		display_node: 'save',
		output: { images: [{ filename: expect.stringMatching(/^[0-9a-f]{64}\.png$/) as string, subfolder: '', type: 'output' }] },
	});
	expect((job.outputs as Record<string, unknown>).save).toEqual(executed?.output);
	const [{ filename }] = (executed?.output as { images: [{ filename: string }] }).images;
	expect((await v1.download(filename)).subarray(1, 4).toString()).toBe('PNG');
});

test('a graph that ran before: its nodes are cached, its outputs told all the same', async () => {
	const graph = picture();
	const first = await v1.finished(graph);
	const listener = await connect();
	const jobId = await v1.started(graph);
	await listener.runEnded(jobId);
	expect(listener.of('execution_cached', jobId)).toMatchObject([{ nodes: ['image', 'save'] }]);
	expect(listener.of('executed', jobId)).toMatchObject([{ node: 'save', output: (first.outputs as Record<string, unknown>).save }]);
	expect(listener.of('progress_state', jobId)).toEqual([]);
});

test('outputs of a cached node are told before the next node executes', async () => {
	const graph = picture();
	await v1.finished(graph);
	const listener = await connect();
	const jobId = await v1.started({ ...graph, again: { class_type: 'PreviewImage', inputs: { images: ['image', 0] } } });
	await listener.runEnded(jobId);
	const order = listener.frames.filter(({ type, data }) => ['executing', 'executed'].includes(type) && data.prompt_id === jobId);
	expect(order.map(({ type, data }) => `${type} ${String(data.node)}`)).toEqual([
		'executed save',
		'executing again',
		'executed again',
		'executing null',
	]);
});

test('execution_error: the node, the exception, and what had been executed', async () => {
	const listener = await connect();
	const jobId = await v1.started({
		...picture(),
		fail: { class_type: 'SandboxFail', inputs: { message: 'no memory', exception_type: 'OOMError', image: ['image', 0] } },
	});
	await listener.runEnded(jobId);
	expect(listener.of('execution_error', jobId)).toMatchObject([
		{
			node_id: 'fail',
			node_type: 'SandboxFail',
			exception_type: 'OOMError',
			exception_message: 'no memory',
			traceback: expect.any(Array) as unknown[],
			executed: expect.arrayContaining(['image']) as string[],
		},
	]);
	expect(listener.of('execution_success', jobId)).toEqual([]);
});

test('execution_interrupted: the node that was stopped', async () => {
	const listener = await connect();
	const jobId = await v1.started(slowPicture(500));
	await until(() => listener.of('progress', jobId).length > 0);
	await v1.call('POST', '/api/interrupt');
	await listener.runEnded(jobId);
	expect(listener.of('execution_interrupted', jobId)).toMatchObject([
		{ node_id: 'sample', node_type: 'SandboxSampler', executed: ['image'] },
	]);
	expect(sandbox.job(jobId)?.status).toBe('canceled');
});

test('a job deleted while it waited was never started: status alone tells', async () => {
	sandbox.configure({ workers: 0 });
	const listener = await connect();
	const jobId = await v1.started(picture());
	await v1.call('POST', '/api/queue', { json: { delete: [jobId] } });
	await until(() => listener.of('status').length === 3);
	expect(listener.frames.filter(({ data }) => data.prompt_id === jobId)).toEqual([]);
});

const JPEG = 'ffd8ff';
const PNG = '89504e';

test('binary type 4: a JPEG behind its metadata', async () => {
	const listener = await connect();
	const jobId = await v1.started(slowPicture(1));
	await listener.runEnded(jobId);
	const [frame = Buffer.alloc(0)] = listener.binary;
	const end = 8 + frame.readUInt32BE(4);
	expect([frame.readUInt32BE(0), listener.binary.length]).toEqual([4, 1]);
	expect(JSON.parse(frame.subarray(8, end).toString('utf8'))).toEqual({
		node_id: 'sample',
		display_node_id: 'sample',
		real_node_id: 'sample',
		parent_node_id: null,
		prompt_id: jobId,
		image_type: 'image/jpeg',
	});
	expect(frame.subarray(end, end + 3).toString('hex')).toBe(JPEG);
});

test.each([
	['plain', 1, JPEG],
	['png', 2, PNG],
] as const)('binary type 1, %s: image type %d', async (v1Previews, imageType, magic) => {
	sandbox.configure({ v1Previews });
	const listener = await connect();
	await listener.runEnded(await v1.started(slowPicture(1)));
	const [frame = Buffer.alloc(0)] = listener.binary;
	expect([frame.readUInt32BE(0), frame.readUInt32BE(4), frame.subarray(8, 11).toString('hex')]).toEqual([1, imageType, magic]);
});

test('binary type 3: progress in words, beyond ASCII too', async () => {
	const listener = await connect();
	await listener.runEnded(await v1.started(talking('half done\nüber 90 %')));
	const read = (frame: Buffer): unknown[] => {
		const end = 8 + frame.readUInt32BE(4);
		return [frame.readUInt32BE(0), frame.subarray(8, end).toString('utf8'), frame.subarray(end).toString('utf8')];
	};
	expect(listener.binary.map(read)).toEqual([
		[3, 'talk', 'half done'],
		[3, 'talk', 'über 90 %'],
	]);
});

test('progress in words is for sockets: the stream of v2 is the same with and without', async () => {
	sandbox.configure({ progressIntervalMs: 0, workers: 0 });
	const hosted = new Caller(sandbox, 'hosted');
	const streams = ['one', 'one\ntwo\nthree'].map(async (text) =>
		eventsOf(await hosted.fetch('GET', `/jobs/${await hosted.started(talking(text))}/events`)),
	);
	await until(() => sandbox.requests('GET /api/v2/jobs/:id/events').length === 2);
	sandbox.configure({ workers: 1 });
	const [quiet, wordy] = (await Promise.all(streams)).map((events) => events.map(({ event }) => event).sort());
	expect(wordy).toEqual(quiet);
});

test('every connection of an account hears all its jobs, of v2 as well; another account hears none', async () => {
	const [one, two] = [await connect({ clientId: 'same' }), await connect({ clientId: 'same' })];
	const other = await connect({ token: sandbox.keys.otherApiKey });
	const jobId = await new Caller(sandbox, 'hosted').started(picture());
	await Promise.all([one, two].map(async (listener) => await listener.runEnded(jobId)));
	expect(one.text.slice(1)).toEqual(two.text.slice(1));
	expect(other.text).toHaveLength(1);
});

test('failing jobs leave the socket open, and the server pings it', async () => {
	sandbox.configure({ keepAliveMs: 10 });
	const listener = await connect();
	await listener.runEnded(await v1.started(failing()));
	await until(() => listener.pings >= 2);
	listener.socket.ping();
	await until(() => listener.pongs === 1);
	expect(listener.closed).toBeNull();
});
