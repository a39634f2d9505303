import { slowGraph } from '../support/graphs';
import { newGraph, useEngine } from './support/engine';

const engine = useEngine();
const madeBy = { workflow_id: 'flow-1', workflow_name: 'Shop', execution_id: '4711', node: 'Submit', item: 2 };
const told = { made_by: madeBy };

describe.each([false, true])('an engine keeps where a job comes from, beside the mark (job routes: %s)', (engineJobRoutes) => {
	beforeEach(() => engine.sandbox.configure({ engineJobRoutes }));

	test('and tells it of jobs that wait, run and have ended', async () => {
		const { jobs, control } = engine.connect();
		const { job_id: done } = await jobs.submit({ graph: newGraph(), madeBy });
		await engine.ended(done);
		const { job_id: running } = await jobs.submit({ graph: slowGraph(400, 20, 1), madeBy });
		await engine.running(running);
		const { job_id: waiting } = await jobs.submit({ graph: newGraph(), madeBy });
		const { jobs: listed } = await jobs.list({ withMadeBy: true });
		expect(listed.map(({ job_id, made_by }) => [job_id, made_by])).toEqual([waiting, running, done].map((id) => [id, madeBy]));
		expect(await control.queue()).toMatchObject({ running: [told], pending: [told] });
		await expect(jobs.get(done)).resolves.toMatchObject(told);
		await jobs.cancel(running);
	});

	test('in two requests for a page', async () => {
		const { jobs } = engine.connect();
		await engine.ended((await jobs.submit({ graph: newGraph(), madeBy })).job_id);
		engine.sandbox.resetRecords();
		await jobs.list({ withMadeBy: true });
		expect(engine.sandbox.requests().map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/queue', 'GET /api/history']);
	});

	test('jobs of others tell nothing', async () => {
		const { jobs } = engine.connect();
		const { job_id } = await jobs.submit({ graph: newGraph(), extraData: { note: 'n' } });
		await engine.ended(job_id);
		expect(await jobs.get(job_id)).not.toHaveProperty('made_by');
		expect((await jobs.list({ withMadeBy: true })).jobs[0]).not.toHaveProperty('made_by');
	});
});

test('whoever does not ask for it is served by the short list', async () => {
	engine.sandbox.configure({ engineJobRoutes: true });
	const { jobs } = engine.connect();
	await engine.ended((await jobs.submit({ graph: newGraph(), madeBy })).job_id);
	engine.sandbox.resetRecords();
	await jobs.list();
	expect(engine.sandbox.requests().map(({ path }) => path)).toEqual(['/api/jobs']);
});

test('none of it is in the picture, nor in the workflow of the job', async () => {
	const { jobs, assets } = engine.connect();
	const { job_id } = await jobs.submit({ graph: newGraph(), madeBy });
	const { outputs } = await engine.ended(job_id);
	expect(JSON.stringify(await jobs.workflow(job_id))).not.toContain('flow-1');
	const { bytes } = await assets.download({ url: outputs[0]?.url ?? '' });
	const chunks: Uint8Array[] = [];
	for await (const chunk of bytes) chunks.push(Buffer.from(chunk));
	expect(Buffer.concat(chunks).includes('flow-1')).toBe(false);
});
