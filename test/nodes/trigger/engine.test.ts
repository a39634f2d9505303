import { type ApiGraph, connect } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { credentialFor } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { deliver, useScene } from './support/scene';
import type { RunningTrigger } from './support/trigger';

runFaster(5);

const scene = useScene();
const listed = (jobIds: string) => ({ source: 'jobs', jobsToWatch: 'listed', jobIds });
const all = { source: 'jobs', jobsToWatch: 'all' };
const engine = { source: 'engine' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
/** A server that is down is looked for about every 10 s. */
const NEXT_LOOK_MS = 15_000;

const onBareEngine = async (source: object, staticData = {}): Promise<RunningTrigger> =>
	await scene.listen({
		...deliver('onlyWhenFinished', { ...source }),
		staticData,
		credential: credentialFor(scene.sandbox, 'bare_engine'),
	});
const watched = async () => await until(() => scene.sandbox.sockets('engine').length === 1);

/** As another client of the engine would. */
async function submit(graph: ApiGraph): Promise<string> {
	const connection = connect({ interface: 'engine', baseUrl: scene.sandbox.urls.engine });
	const { job_id: jobId } = await connection.jobs.submit({ graph });
	await connection.close();
	return jobId;
}

it('an engine is followed through its queue and history from waiting to the end, by a client of its own and without the token', async () => {
	const trigger = await scene.listen(deliver('everyEvent', engine), 'self_hosted_token');
	await watched();
	scene.sandbox.configure({ gateOpen: false });
	const job = await scene.submit(gatedGraph(81), 'self_hosted');
	await until(() => trigger.items.some(({ json }) => json.kind === 'status' && json.status === 'running'));
	scene.sandbox.configure({ gateOpen: true });
	await trigger.until(1, 'finished');
	const own = trigger.items
		.filter(({ json }) => json.job_id === job.job_id)
		.map(({ json }) => (json.kind === 'status' ? json.status : json.kind));
	expect(own).toEqual(expect.arrayContaining(['running', 'output', 'finished']));
	expect(trigger.items.at(-1)?.json).toMatchObject({
		interface: 'engine',
		status: 'succeeded',
		service_status: 'success',
		outputs: [{ node_id: '3', type: 'image' }],
	});
	expect(trigger.items.filter(({ json }) => json.kind === 'finished')).toHaveLength(1);
	const clientIds = scene.sandbox.sockets('engine').map(({ clientId }) => clientId);
	expect(clientIds).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
	expect(scene.sandbox.jobs('self_hosted').map(({ id }) => id)).not.toContain(clientIds[0]);
	const headers = scene.sandbox.requests('* *', 'engine').map(({ headers: sent }) => sent);
	expect(JSON.stringify(headers)).not.toContain(scene.sandbox.keys.bearer);
});

it('a bare engine, found at Address reports listed jobs that wait, run or have finished once each, names an unknown one, and reports no others', async () => {
	const ended = await submit(colorGraph(310));
	await until(() => scene.sandbox.job(ended)?.status === 'succeeded');
	const [running, failing] = [await submit(slowGraph(10, 40, 301)), await submit(failingGraph('listed'))];
	const trigger = await onBareEngine(listed([ended, running, failing, UNKNOWN].join()));
	await watched();
	await submit(colorGraph(302));
	await trigger.until(3);
	await until(() => trigger.logged.join().includes(`has no job with the ID ${UNKNOWN}`));
	await new Promise((resolve) => setTimeout(resolve, 700));
	expect(trigger.items).toHaveLength(3);
	expect(Object.fromEntries(trigger.items.map(({ json }) => [json.job_id, json.status]))).toEqual({
		[ended]: 'succeeded',
		[running]: 'succeeded',
		[failing]: 'failed',
	});
	expect(trigger.logged.join().match(new RegExp(`has no job with the ID ${UNKNOWN}`, 'g'))).toHaveLength(1);
});

describe('a server that is down when the trigger starts', () => {
	afterEach(async () => await scene.sandbox.startEngine());

	it.each([
		['all jobs', all],
		['the engine', engine],
	])('is found once it is up (%s)', async (_, source) => {
		await scene.sandbox.stopEngine();
		const trigger = await onBareEngine(source);
		await until(() => trigger.logged.length > 0);
		expect(trigger.logged.join()).toMatch(/cannot be reached: the connection was refused.*retry in \d+ s/);
		expect(trigger.failures).toEqual([]);
		await scene.sandbox.startEngine();
		await until(() => scene.sandbox.sockets('engine').length === 1, NEXT_LOOK_MS);
		const jobId = await submit(colorGraph(307));
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: jobId, interface: 'engine' } }]);
	});
});

it.each([[true], [false]])('150 jobs that end during a restart of n8n are reported once each (job list: %s)', async (engineJobRoutes) => {
	scene.sandbox.configure({ engineJobRoutes });
	const before = await onBareEngine(engine);
	await watched();
	await submit(colorGraph(400));
	await before.until(1);
	await before.close();
	const jobIds = await Promise.all(Array.from({ length: 150 }, async (_, index) => await submit(colorGraph(1_000 + index))));
	await until(() => jobIds.every((jobId) => scene.sandbox.job(jobId)?.status === 'succeeded'));
	const after = await onBareEngine(engine, before.stored);
	await after.until(150);
	const next = await submit(colorGraph(401));
	await after.until(151);
	scene.sandbox.configure({ engineJobRoutes: false });
	expect(after.items.map(({ json }) => json.job_id).sort()).toEqual([...jobIds, next].sort());
});
