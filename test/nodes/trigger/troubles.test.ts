import { inspect } from 'node:util';

import { until } from '../../support/until';
import { colorGraph, slowGraph } from '../support/graphs';
import { credentialFor } from '../support/flavours';
import { deliver, useScene } from './support/scene';

const scene = useScene();
const UNKNOWN_JOB = '00000000-0000-4000-8000-000000000000';

describe('a wrong key', () => {
	const marker = 'comfyui-marker-0123456789';
	const wrong = () => ({ ...deliver('onlyWhenFinished'), credential: credentialFor(scene.sandbox, 'hosted', { apiKey: marker }) });

	it('becomes one failed execution that says what to do and shows no key, and the trigger lives on', async () => {
		const trigger = await scene.listen(wrong());
		await until(() => trigger.failures.length > 0);
		expect(trigger.failures).toHaveLength(1);
		expect(trigger.failures[0]).toMatchObject({
			message: 'The server did not accept the API Key',
			description: expect.stringContaining('Comfy API credential'),
		});
		expect(trigger.logged.join()).toMatch(/retry in [23]\d\d s/);
		expect(inspect([trigger.failures, trigger.logged, trigger.items], { depth: 20, showHidden: true })).not.toContain(marker);
	});

	it.each([
		['all jobs', { source: 'jobs', jobsToWatch: 'all' }],
		['listed jobs', { source: 'jobs', jobsToWatch: 'listed', jobIds: UNKNOWN_JOB }],
	])('is reported once for %s, and tried again slowly', async (_, parameters) => {
		const credential = credentialFor(scene.sandbox, 'deployment', { apiKey: marker });
		const trigger = await scene.listen({ ...deliver('onlyWhenFinished', parameters), credential });
		await until(() => trigger.failures.length > 0);
		expect(trigger.failures).toMatchObject([{ message: 'The server did not accept the API Key' }]);
		expect(scene.sandbox.requests('* *', 'deployment')).toHaveLength(1);
		expect(trigger.logged.join()).toMatch(/retry in [23]\d\d s/);
	});

	it('fails a manual start immediately', async () => {
		await expect(scene.listen({ ...wrong(), mode: 'manual' })).rejects.toThrow('The server did not accept the API Key');
		expect(scene.sandbox.sockets()).toEqual([]);
	});
});

it('an unknown job in a filter is named, and the others are followed', async () => {
	const trigger = await scene.listen(deliver('onlyWhenFinished', { filters: { jobIds: UNKNOWN_JOB } }));
	await until(() => trigger.failures.length > 0);
	expect(trigger.failures[0]?.message).toBe(`The server has no job with the ID ${UNKNOWN_JOB}`);
	scene.sandbox.dropSockets('hosted');
	const reads = ['GET /ws', `GET /api/job/${UNKNOWN_JOB}/status`];
	await until(() => reads.every((read) => scene.sandbox.requests(read).length === 2));
	expect(trigger.failures).toHaveLength(1);
});

it('only chosen jobs are reported', async () => {
	scene.sandbox.configure({ workers: 0 });
	const wanted = [(await scene.submit(slowGraph(10, 30, 61))).job_id, (await scene.submit(slowGraph(10, 30, 67))).job_id];
	const trigger = await scene.listen(deliver('everyEvent', { filters: { jobIds: wanted.join(', ') } }));
	await scene.connected();
	const other = await scene.submit(colorGraph(62));
	scene.sandbox.configure({ workers: 4 });
	await trigger.until(2, 'finished');
	expect(new Set(trigger.items.map(({ json }) => json.job_id))).toEqual(new Set(wanted));
	expect(scene.sandbox.requests().filter(({ path }) => path.includes(other.job_id))).toEqual([]);
});

it('only chosen nodes and kinds are reported', async () => {
	const filters = { nodeIds: '2, 3', eventKinds: ['node', 'output', 'finished'] };
	const trigger = await scene.listen(deliver('everyEvent', { filters }));
	await scene.connected();
	await scene.submit(slowGraph(2, 5, 63));
	await trigger.until(1, 'finished');
	expect(trigger.items.map(({ json }) => [json.kind, json.node_id])).toEqual([
		['node', '2'],
		['node', '3'],
		['output', '3'],
		['finished', null],
	]);
});

it.each([
	['no milestones', { milestones: '' }, 'Milestones (Percent) is empty'],
	['milestones that are no percents', { milestones: '50, 100' }, 'Milestones (Percent) is not valid'],
	['a delivery that there is not', { deliver: 'all' }, 'Trigger On "all" does not exist'],
	['no job ids', { source: 'jobs', jobsToWatch: 'listed', jobIds: ' ' }, 'Job IDs is empty'],
])('the trigger does not start with %s', async (_, parameters, message) => {
	await expect(scene.listen(deliver('milestones', parameters))).rejects.toThrow(message);
});

describe('the end of listening', () => {
	it('closes the socket, and not that of another trigger', async () => {
		const [first, second] = [await scene.listen(deliver('onlyWhenFinished')), await scene.listen(deliver('eachOutput'))];
		await scene.connected(2);
		await first.close();
		await scene.connected(1);
		await scene.submit(colorGraph(64));
		await second.until(1, 'finished');
		expect(first.items).toEqual([]);
		expect(second.items.map(({ json }) => json.kind)).toEqual(['output', 'finished']);
		await second.close();
		await scene.connected(0);
	});

	it('is reached in time when the other side is silent', async () => {
		scene.sandbox.inject({ on: 'GET /ws', fault: { kind: 'silent_socket' } });
		const trigger = await scene.listen(deliver('onlyWhenFinished'));
		await until(() => scene.sandbox.requests('GET /ws').length > 0);
		await trigger.close();
	});
});

it('a manual start reports only new events, whatever was reported before', async () => {
	const before = await scene.listen(deliver('eachOutput'));
	await scene.connected();
	await scene.submit(colorGraph(65));
	await before.until(2);
	await before.close();
	const trigger = await scene.listen({ ...deliver('eachOutput'), mode: 'manual', staticData: before.stored });
	await scene.connected();
	const job = await scene.submit(colorGraph(66));
	await trigger.until(2);
	expect(trigger.items.map(({ json }) => [json.kind, json.job_id])).toEqual([
		['output', job.job_id],
		['finished', job.job_id],
	]);
});
