import { until } from '../../support/until';
import { type ApiGraph, connect } from '../../../client';
import { deadOrigin } from '../../client/support/deadOrigin';
import { credentialFor } from '../support/flavours';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { deliver, useScene } from './support/scene';
import type { RunningTrigger } from './support/trigger';
import { runFaster } from '../../support/fastClock';

runFaster(5);

const scene = useScene();
const listed = (jobIds: string) => ({ source: 'jobs', jobsToWatch: 'listed', jobIds });
const all = { source: 'jobs', jobsToWatch: 'all' };
const engine = { source: 'engine' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
/** A server that is down is looked for every 10 s. */
const NEXT_LOOK_MS = 15_000;

const listen = async (delivery: string, more: object, changes = {}): Promise<RunningTrigger> =>
	await scene.listen({ ...deliver(delivery, { ...more }), credential: credentialFor(scene.sandbox, 'bare_engine', changes) });

/** As another client of the engine would. */
async function submit(graph: ApiGraph): Promise<string> {
	const connection = connect({ interface: 'engine', baseUrl: scene.sandbox.urls.engine });
	const { job_id: jobId } = await connection.jobs.submit({ graph });
	await connection.close();
	return jobId;
}

const watched = async () => await until(() => scene.sandbox.sockets('engine').length === 1);

describe('a bare engine, found at Address', () => {
	it('tells of listed jobs: one that runs, one that waits, and not of others', async () => {
		const [running, failing] = [await submit(slowGraph(10, 40, 301)), await submit(failingGraph('listed'))];
		const trigger = await listen('onlyWhenFinished', listed(`${running}, ${failing}`));
		await watched();
		await submit(colorGraph(302));
		await trigger.until(2);
		await new Promise((resolve) => setTimeout(resolve, 700));
		expect(Object.fromEntries(trigger.items.map(({ json }) => [json.job_id, json.status]))).toEqual({
			[running]: 'succeeded',
			[failing]: 'failed',
		});
		expect(trigger.items[0]?.json).toMatchObject({ interface: 'engine' });
	});

	it('tells of a listed job that had ended before, once, and says which one nobody knows', async () => {
		const ended = await submit(colorGraph(310));
		await until(() => scene.sandbox.job(ended)?.status === 'succeeded');
		const trigger = await listen('onlyWhenFinished', listed(`${ended}, ${UNKNOWN}`));
		await trigger.until(1);
		await until(() => trigger.logged.join().includes(`knows no job ${UNKNOWN}`));
		await submit(colorGraph(311));
		await new Promise((resolve) => setTimeout(resolve, 700));
		expect(trigger.items.map(({ json }) => [json.job_id, json.status])).toEqual([[ended, 'succeeded']]);
		expect(trigger.logged.join().match(new RegExp(`knows no job ${UNKNOWN}`, 'g'))).toHaveLength(1);
	});

	it.each([
		['all jobs', all],
		['the engine', engine],
	])('tells of %s, whoever submitted them', async (_, source) => {
		const trigger = await listen('onlyWhenFinished', source);
		await watched();
		const jobIds = [await submit(colorGraph(303)), await submit(colorGraph(304))];
		await trigger.until(2);
		expect(trigger.items.map(({ json }) => [json.job_id, json.interface, json.status])).toEqual(
			jobIds.map((id) => [id, 'engine', 'succeeded']),
		);
	});

	it.each([
		['all jobs', all],
		['the engine', engine],
	])('that restarts while it works: the job of %s is told of as expired, and later ones are told of', async (_, source) => {
		const trigger = await listen('everyEvent', { ...source, filters: { eventKinds: ['status', 'finished'] } });
		await watched();
		const lost = await submit(slowGraph(3_000, 50, 305));
		await trigger.until(1, 'status');
		scene.sandbox.restartEngine();
		const [finished] = await trigger.until(1, 'finished');
		expect(finished?.json).toMatchObject({ job_id: lost, status: 'expired' });
		const next = await submit(colorGraph(306));
		const both = await trigger.until(2, 'finished');
		expect(both[1]?.json).toMatchObject({ job_id: next, status: 'succeeded' });
	});
});

describe('a server that is down when the trigger starts', () => {
	afterEach(async () => await scene.sandbox.startEngine());

	it.each([
		['all jobs', all],
		['the engine', engine],
	])('is found once it is up (%s)', async (_, source) => {
		await scene.sandbox.stopEngine();
		const trigger = await listen('onlyWhenFinished', source);
		await until(() => trigger.logged.length > 0);
		expect(trigger.logged.join()).toMatch(/Nothing answers at .*tried again in 10 s/);
		expect(trigger.failures).toEqual([]);
		await scene.sandbox.startEngine();
		await until(() => scene.sandbox.sockets('engine').length === 1, NEXT_LOOK_MS);
		const jobId = await submit(colorGraph(307));
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: jobId, interface: 'engine' } }]);
	});

	it('is said at once while somebody tries the trigger out, with both addresses', async () => {
		const [baseUrl, engineUrl] = [await deadOrigin(), await deadOrigin()];
		const credential = credentialFor(scene.sandbox, 'bare_engine', { baseUrl, engineUrl });
		await expect(scene.listen({ ...deliver('onlyWhenFinished', all), credential, mode: 'manual' })).rejects.toThrow(
			new RegExp(`No server was found.*${baseUrl}.*${engineUrl}`),
		);
	});
});

it('a listed job that the engine does not know is said to be unknown while somebody tries the trigger out', async () => {
	const credential = credentialFor(scene.sandbox, 'bare_engine');
	await expect(scene.listen({ ...deliver('onlyWhenFinished', listed(UNKNOWN)), credential, mode: 'manual' })).rejects.toThrow(
		/knows no such job/,
	);
});

it('the source Jobs finds the engine at Engine Address where the proxy is down', async () => {
	const credential = credentialFor(scene.sandbox, 'self_hosted', { baseUrl: await deadOrigin() });
	const trigger = await scene.listen({ ...deliver('onlyWhenFinished', all), credential });
	await watched();
	await submit(colorGraph(308));
	await trigger.until(1);
	expect(trigger.items[0]?.json).toMatchObject({ interface: 'engine' });
});

it('a login in front of the engine becomes one failed execution that names the field', async () => {
	scene.sandbox.configure({ engineAuthorization: 'Basic right' });
	const trigger = await listen('onlyWhenFinished', engine, { engineAuthorizationSecret: 'Basic comfyui-canary-0123456789' });
	await until(() => trigger.failures.length > 0);
	scene.sandbox.configure({ engineAuthorization: null });
	expect(trigger.failures[0]).toMatchObject({ description: expect.stringContaining('Engine Authorization') });
	expect(JSON.stringify([trigger.failures, trigger.logged])).not.toContain('comfyui-canary');
});
