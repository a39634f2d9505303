import sharp from 'sharp';

import { connect, derivedId, waitForJob, type ApiGraph } from '../../../client';
import { raw } from '../support/answering';
import { chunksOf, failureOf } from '../support/bytes';
import { failingGraph, imageGraph, slowGraph, textFileGraph } from '../support/graphs';
import { json, serve } from '../support/server';
import { HISTORY, JOB_ROUTE, newGraph, QUEUE, useEngine } from './support/engine';
import { mayBeUnmet } from '../../support/metFaults';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const engine = useEngine();

async function done(graph: ApiGraph, connection = engine.connect()) {
	const { job_id } = await connection.jobs.submit({ graph });
	return (await waitForJob(connection.jobs, job_id, { mode: 'polling', maxWaitMs: 100_000 })).job;
}

describe.each([false, true])('with job routes: %s', (engineJobRoutes) => {
	beforeEach(() => engine.sandbox.configure({ engineJobRoutes }));

	test('GET /history/{id}: a job that has succeeded, with its times and outputs', async () => {
		const job = await done(newGraph());
		expect(job).toMatchObject({
			interface: 'engine',
			status: 'succeeded',
			service_status: 'success',
			job_error: null,
			queue_position: null,
		});
		expect(job.outputs).toMatchObject([
			{ node_id: '2', type: 'image', content_type: 'image/png', hash: null, id: null, file_reference: { subfolder: '', type: 'output' } },
		]);
		expect(Date.parse(String(job.completed_at))).toBeGreaterThanOrEqual(Date.parse(String(job.started_at)));
		expect(job.created_at === null).toBe(!engineJobRoutes);
	});

	test('a job that has failed says why', async () => {
		const job = await done(failingGraph());
		expect(job).toMatchObject({
			status: 'failed',
			service_status: 'error',
			job_error: { node_id: '1', class_type: 'SandboxFail', message: expect.stringContaining('Out of paint') },
		});
	});

	test('GET /queue: one that runs, and one that waits', async () => {
		const { jobs } = engine.connect();
		const running = (await jobs.submit({ graph: slowGraph(1_000, 20) })).job_id;
		await engine.running(running);
		const waiting = (await jobs.submit({ graph: newGraph() })).job_id;
		await expect(jobs.get(running)).resolves.toMatchObject({ status: 'running', outputs: [] });
		await expect(jobs.get(waiting)).resolves.toMatchObject({
			status: 'queued',
			service_status: 'pending',
			queue_position: engineJobRoutes ? null : 1,
		});
		await expect(jobs.workflow(waiting)).resolves.toMatchObject({ format: 'api', workflow: { 1: { class_type: 'EmptyImage' } } });
	});

	test('a restart: the job is expired, with the explanation', async () => {
		const { jobs } = engine.connect();
		const { job_id } = await jobs.submit({ graph: slowGraph(1_000, 20) });
		engine.sandbox.restartEngine();
		await expect(jobs.get(job_id)).resolves.toMatchObject({
			status: 'expired',
			outputs: [],
			job_error: { code: 'forgotten_by_engine', message: expect.stringContaining('restarted') },
		});
		await expect(engine.connect().jobs.get(derivedId('of another execution'))).resolves.toMatchObject({
			status: 'expired',
			job_error: { code: 'forgotten_by_engine' },
		});
	});

	test('an id that was never seen and is no derived one is unknown', async () => {
		const { jobs } = engine.connect();
		const id = crypto.randomUUID();
		for (const failure of [await failureOf(jobs.get(id)), await failureOf(jobs.workflow(id))])
			expect(failure).toMatchObject({ interface: 'engine', code: 'job_not_found', status: 404 });
	});
});

test.each([
	['images', 'image', { name: 'a.png', kind: 'image', content_type: 'image/png' }],
	['gifs', 'image', { name: 'a.gif', kind: 'gif', content_type: 'image/gif' }],
	['images', 'video', { name: 'a.mp4', kind: 'video', content_type: 'video/mp4' }],
	['audio', 'audio', { name: 'a.wav', kind: 'audio', content_type: 'audio/wav' }],
	['3d', 'file', { name: 'a.glb', kind: '3d', content_type: 'model/gltf-binary' }],
	['files', 'file', { name: 'a.strange', kind: 'strange', content_type: 'application/x' }],
])('output keys vary: %s', async (key, type, file) => {
	const job = await done(textFileGraph({ ...file, text: `${key} ${Math.random()}` }));
	expect(job.outputs).toMatchObject([{ name: file.name, type }]);
	expect(job.node_outputs).toMatchObject({ 1: { [key]: [{ filename: file.name }] } });
});

test('plain texts stay in node_outputs, and are outputs beside the files', async () => {
	const entry = {
		outputs: { 7: { text: ['a cat'], images: [{ filename: 'a.png', subfolder: 'x', type: 'temp' }], animated: [true] } },
		status: null,
	};
	const server = await serve((request, response) => {
		if (request.url.startsWith('/api/jobs')) return raw(404, 'text/plain', '404: Not Found')(request, response);
		return json(200, request.url === '/api/queue' ? { queue_running: [], queue_pending: [] } : { a: entry })(request, response);
	});
	const connection = connect({ interface: 'engine', baseUrl: server.origin });
	const job = await connection.jobs.get('a');
	await Promise.all([connection.close(), server.close()]);
	expect(job.node_outputs).toEqual(entry.outputs);
	expect(job.outputs).toMatchObject([
		{ name: 'a.png', url: `${server.origin}/api/view?filename=a.png&subfolder=x&type=temp` },
		{ type: 'text', text: 'a cat', url: null },
	]);
	expect(job.status).toBe('succeeded');
});

test('a workflow is given as it was sent: the engine’s own marks are left out', async () => {
	const connection = engine.connect();
	const content = Buffer.from(
		await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
			.png()
			.toBuffer(),
	);
	const bytes = { open: () => chunksOf(content), sizeBytes: content.length, contentType: 'image/png' };
	const { asset } = await connection.assets.upload(bytes, { filePath: 'marked.png' });
	const graph = imageGraph(connection.assets.reference(asset));
	const { job_id } = await done(graph, connection);
	const [entry] = Object.values((await (await fetch(`${engine.sandbox.urls.engine}/history/${job_id}`)).json()) as Record<string, unknown>);
	expect(JSON.stringify(entry)).toContain('is_changed');
	expect(await connection.jobs.workflow(job_id)).toEqual({ format: 'api', workflow: graph });
});

test('a history with NaN, as a node that always changes leaves there, is read', async () => {
	const history =
		'{"a": {"prompt": [1, "a", {"1": {"class_type": "Dice", "inputs": {}, "is_changed": [NaN]}}, {}, []], "outputs": {"2": {"images": [{"filename": "a.png", "subfolder": "", "type": "output"}]}}, "status": {"status_str": "success", "completed": true, "messages": []}}}';
	const server = await serve((request, response) => {
		if (request.url.startsWith('/api/jobs')) return raw(404, 'text/plain', '404: Not Found')(request, response);
		return request.url === '/api/queue'
			? json(200, { queue_running: [], queue_pending: [] })(request, response)
			: raw(200, 'application/json', history)(request, response);
	});
	const connection = connect({ interface: 'engine', baseUrl: server.origin });
	const [job, workflow] = [await connection.jobs.get('a'), await connection.jobs.workflow('a')];
	await Promise.all([connection.close(), server.close()]);
	expect(job).toMatchObject({ status: 'succeeded', outputs: [{ name: 'a.png' }] });
	expect(workflow).toEqual({ format: 'api', workflow: { 1: { class_type: 'Dice', inputs: {} } } });
});

test('newer engines: GET /api/jobs/{id} in place of queue and history; older ones are asked for it once', async () => {
	engine.sandbox.configure({ engineJobRoutes: true });
	const newer = await done(newGraph());
	expect([engine.count(QUEUE), engine.count(HISTORY)]).toEqual([0, 0]);
	engine.sandbox.configure({ engineJobRoutes: false });
	engine.sandbox.resetRecords();
	const { jobs } = engine.connect();
	await jobs.get(newer.job_id);
	await jobs.get(newer.job_id);
	expect([engine.count(JOB_ROUTE), engine.count(QUEUE), engine.count(HISTORY)]).toEqual([1, 2, 2]);
});

test('the list: waiting, running, ended, newest first', async () => {
	const connection = engine.connect();
	const ended = [(await done(newGraph(), connection)).job_id, (await done(newGraph(), connection)).job_id];
	const running = (await connection.jobs.submit({ graph: slowGraph(1_000, 20) })).job_id;
	await engine.running(running);
	const waiting = (await connection.jobs.submit({ graph: newGraph() })).job_id;
	const { jobs } = await connection.jobs.list();
	expect(jobs.map(({ job_id, status }) => [job_id, status])).toEqual([
		[waiting, 'queued'],
		[running, 'running'],
		[ended[1], 'succeeded'],
		[ended[0], 'succeeded'],
	]);
	expect((await connection.jobs.list({ limit: 3 })).jobs).toHaveLength(3);
});

test('many reads at the same time share one of the queue; a later one is made anew', async () => {
	const connection = engine.connect();
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(1_000, 20) });
	await connection.jobs.get(job_id);
	engine.sandbox.resetRecords();
	await Promise.all(Array.from({ length: 20 }, async () => await connection.jobs.get(job_id)));
	expect([engine.count(QUEUE), engine.count(HISTORY)]).toEqual([2, 0]);
	await connection.jobs.get(job_id);
	expect(engine.count(QUEUE)).toBe(3);
});

test('a stop ends one caller’s read and no other’s; a close ends them all', async () => {
	engine.sandbox.inject({ on: QUEUE, fault: { kind: 'stall', ms: 300 } });
	const connection = engine.connect();
	const stopped = failureOf(connection.records.queue({ signal: AbortSignal.timeout(50) }));
	await expect(connection.records.queue()).resolves.toMatchObject({ running: [], pending: [] });
	expect(await stopped).toMatchObject({ message: 'Stopped' });

	mayBeUnmet(engine.sandbox.inject({ on: QUEUE, times: Infinity, fault: { kind: 'drop_before' } }));
	const reading = failureOf(connection.records.queue());
	await connection.close();
	await reading;
});
