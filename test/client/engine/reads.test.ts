import { connect, derivedId, exactText, waitForJob, type ApiGraph } from '../../../client';
import { raw } from '../support/answering';
import { failureOf } from '../support/bytes';
import { newGraph, slowGraph } from '../support/graphs';
import { json, serve } from '../support/server';
import { HISTORY, JOB_ROUTE, QUEUE, useEngine } from './support/engine';
import { mayBeUnmet } from '../../support/metFaults';
import { RETIRED } from '../../support/retiredNodes';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const engine = useEngine();

async function done(graph: ApiGraph, connection = engine.connect()) {
	const { job_id } = await connection.jobs.submit({ graph });
	return (await waitForJob(connection.jobs, job_id, { mode: 'polling', maxWaitMs: 100_000 })).job;
}

describe.each([false, true])('with job routes: %s', (engineJobRoutes) => {
	beforeEach(() => engine.sandbox.configure({ engineJobRoutes }));

	test('a running job and two waiting jobs are read from the queue', async () => {
		const { jobs } = engine.connect();
		const running = (await jobs.submit({ graph: slowGraph(1_000, 20) })).job_id;
		await engine.running(running);
		const waiting = [await jobs.submit({ graph: newGraph() }), await jobs.submit({ graph: newGraph() })].map(({ job_id }) => job_id);
		await expect(jobs.get(running)).resolves.toMatchObject({ status: 'running', outputs: [] });
		for (const [index, jobId] of waiting.entries()) {
			const queued = { status: 'queued', service_status: 'pending', queue_position: engineJobRoutes ? null : index + 1 };
			await expect(jobs.get(jobId)).resolves.toMatchObject(queued);
		}
		await expect(jobs.workflow(String(waiting[1]))).resolves.toMatchObject({
			format: 'api',
			workflow: { 1: { class_type: 'EmptyImage' } },
		});
	});

	test('a job is expired after a restart, with the explanation', async () => {
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
});

test.each(['__proto__', '00000000-0000-4000-8000-000000000000'])(
	'the id %s, which the engine does not know and we did not make, is unknown',
	async (id) => {
		const { jobs } = engine.connect();
		for (const failure of [await failureOf(jobs.get(id)), await failureOf(jobs.workflow(id))])
			expect(failure).toMatchObject({ interface: 'engine', code: 'job_not_found', status: 404 });
	},
);

test('a history with NaN, texts, marks of the engine and two files of one name is read, and a file that is listed twice is one', async () => {
	const images = ['x', 'y', 'x'].map((subfolder) => ({ filename: 'a.png', subfolder, type: 'temp' }));
	const outputs = { 7: { text: ['a cat'], images, animated: [true] } };
	const prompt = '[1, "a", {"1": {"class_type": "Dice", "inputs": {}, "is_changed": [NaN]}}, {}, []]';
	const history = `{"a": {"prompt": ${prompt}, "outputs": ${JSON.stringify(outputs)}, "status": null}}`;
	const server = await serve((request, response) => {
		if (request.url.startsWith('/api/jobs')) return raw(404, 'text/plain', '404: Not Found')(request, response);
		return request.url === '/api/queue'
			? json(200, { queue_running: [], queue_pending: [] })(request, response)
			: raw(200, 'application/json', history)(request, response);
	});
	const connection = connect({ interface: 'engine', baseUrl: server.origin });
	const [job, workflow] = [await connection.jobs.get('a'), await connection.jobs.workflow('a')];
	await Promise.all([connection.close(), server.close()]);
	expect(job).toMatchObject({ status: 'succeeded', node_outputs: outputs });
	expect(job.outputs).toMatchObject([
		{ name: 'a.png', url: `${server.origin}/api/view?filename=a.png&subfolder=x&type=temp` },
		{ name: 'a.png', url: `${server.origin}/api/view?filename=a.png&subfolder=y&type=temp` },
		{ type: 'text', text: 'a cat', url: null },
	]);
	expect(workflow).toEqual({ format: 'api', workflow: { 1: { class_type: 'Dice', inputs: {} } } });
});

test('a newer engine is read by its job route, also after it did not know a job, and an older one is asked for it once', async () => {
	engine.sandbox.configure({ engineJobRoutes: true });
	const connection = engine.connect();
	const newer = await done(newGraph(), connection);
	await connection.jobs.get(derivedId('unknown'));
	engine.sandbox.resetRecords();
	await connection.jobs.get(newer.job_id);
	expect([engine.count(QUEUE), engine.count(HISTORY)]).toEqual([0, 0]);
	engine.sandbox.configure({ engineJobRoutes: false });
	engine.sandbox.resetRecords();
	const { jobs } = engine.connect();
	await jobs.get(newer.job_id);
	await jobs.get(newer.job_id);
	expect([engine.count(JOB_ROUTE), engine.count(QUEUE), engine.count(HISTORY)]).toEqual([1, 2, 2]);
});

test('the workflow of a job keeps every digit of a seed, whether the job waits or has ended', async () => {
	const prompt = (id: string): string => `[1, "${id}", {"1": {"class_type": "Noise", "inputs": {"seed": 18446744073709551615}}}, {}, []]`;
	const server = await serve((request, response) => {
		const body =
			request.url === '/api/queue'
				? `{"queue_running": [], "queue_pending": [${prompt('waiting')}]}`
				: `{"ended": {"prompt": ${prompt('ended')}, "outputs": {}, "status": null}}`;
		return raw(200, 'application/json', body)(request, response);
	});
	const connection = connect({ interface: 'engine', baseUrl: server.origin });
	const workflows = [await connection.jobs.workflow('waiting'), await connection.jobs.workflow('ended')];
	await Promise.all([connection.close(), server.close()]);
	for (const { workflow } of workflows) expect(exactText(workflow)).toContain('"seed":18446744073709551615');
});

test('many reads at the same time share one read of the queue', async () => {
	const connection = engine.connect();
	const { job_id } = await connection.jobs.submit({ graph: slowGraph(1_000, 20) });
	await connection.jobs.get(job_id);
	engine.sandbox.resetRecords();
	await Promise.all(Array.from({ length: 20 }, async () => await connection.jobs.get(job_id)));
	expect([engine.count(QUEUE), engine.count(HISTORY)]).toEqual([2, 0]);
	await connection.jobs.get(job_id);
	expect(engine.count(QUEUE)).toBe(3);
});

test('a stop ends the read of one caller, and a close ends them all', async () => {
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

test('up to 40 classes are read one by one, a missing one is left out, and more are read together', async () => {
	const { control } = engine.connect();
	const others = Array.from({ length: 39 }, (_, place) => `Some Node/Class${place}`);
	const [all, one] = ['GET /api/object_info', 'GET /api/object_info/:class'];
	const few = await control.nodeDefinitions({ classes: [...others, 'SaveImage'] });
	expect([Object.keys(few), engine.count(all), engine.count(one)]).toEqual([['SaveImage'], 0, 40]);
	expect(engine.sandbox.peak(one)).toBeLessThanOrEqual(6);
	const many = await control.nodeDefinitions({ classes: [...others, 'SaveImage', 'LoadImage'] });
	expect(many).toHaveProperty('EmptyImage');
	expect([engine.count(all), engine.count(one)]).toEqual([1, 40]);
});

test('the replacements of retired classes are read if the engine has this feature, and an older engine has none', async () => {
	const { control } = engine.connect();
	const paths = ['GET /api/features', 'GET /api/node_replacements'];
	expect([await control.nodeReplacements(), ...paths.map(engine.count)]).toEqual([{}, 1, 0]);
	engine.sandbox.configure({ nodeReplacements: RETIRED });
	const replacements = await control.nodeReplacements();
	expect([Object.keys(replacements), ...paths.map(engine.count)]).toEqual([Object.keys(RETIRED), 2, 1]);
	expect(replacements.AcmeScale).toMatchObject({ newClass: 'ImageScale', oldWidgets: ['size_x', 'size_y', 'quality'] });
	engine.sandbox.inject({ on: 'GET /api/features', answer: { status: 404, code: 'not_found' } });
	await expect(control.nodeReplacements()).resolves.toEqual({});
	engine.sandbox.inject({ on: 'GET /api/node_replacements', answer: { status: 403, code: 'forbidden' } });
	await expect(control.nodeReplacements()).rejects.toMatchObject({ status: 403 });
});
