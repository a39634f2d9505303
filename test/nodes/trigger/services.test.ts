import type { IDataObject } from 'n8n-workflow';

import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { colorGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { deliver, deliveredLater, useScene } from './support/scene';

runFaster(5);

const scene = useScene();
const listed = (jobIds: string) => ({ source: 'jobs', jobsToWatch: 'listed', jobIds });
const all = { source: 'jobs', jobsToWatch: 'all' };

const of = (items: Array<{ json: object }>): object[] => items.map(({ json }) => json);

describe('the hosted account', () => {
	it('starts two triggers of one workflow for each milestone, each output and the end of the same job, each once', async () => {
		const more = { options: { alsoOutputs: true } };
		const [first, second] = [
			await scene.listen({ ...deliver('milestones', more), nodeId: 'first' }),
			await scene.listen({ ...deliver('milestones', { milestones: '75%, 25' }), nodeId: 'second' }),
		];
		await scene.connected(2);
		const { '3': save, ...sampled } = slowGraph(20, 20, 12);
		const { job_id } = await scene.submit({
			...sampled,
			'4': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0x00ff00 } },
			'5': { class_type: 'ImageBatch', inputs: { image1: ['2', 0], image2: ['4', 0] } },
			'3': { class_type: 'SaveImage', inputs: { ...save?.inputs, images: ['5', 0] } },
		});
		for (const trigger of [first, second]) await trigger.until(1, 'finished');
		const reported = (trigger: typeof first) => of(trigger.items.filter(({ json }) => json.kind !== 'output'));
		const milestone = (percent: number) => ({ kind: 'milestone', milestone: percent, job_id, interface: 'v1', status: 'running' });
		const outputs = [
			{ node_id: '3', type: 'image' },
			{ node_id: '3', type: 'image' },
		];
		const end = { kind: 'finished', job_id, status: 'succeeded', service_status: 'success', percent: 100, outputs, job_error: null };
		expect(reported(first)).toMatchObject([...[25, 50, 75].map(milestone), end]);
		expect(reported(second)).toMatchObject([...[25, 75].map(milestone), end]);
		// One event for each of two files of the same node.
		const files = first.items.flatMap(({ json }) =>
			json.kind === 'output' ? (json.outputs as IDataObject[]).map(({ name }) => name) : [],
		);
		expect([files.length, new Set(files).size]).toEqual([2, 2]);
		expect(second.items).toHaveLength(3);
		expect(new Set([...first.onceKeys, ...second.onceKeys]).size).toBe(9);
	});

	it('reports every event, and only the newest of frequent ones', async () => {
		const options = { leastSecondsBetween: 60, includeRawEvent: true, includePreviews: true, binaryPropertyName: 'look' };
		const trigger = await scene.listen(deliver('everyEvent', { options }));
		await scene.connected();
		const job = await scene.submit(slowGraph(40, 20, 31));
		await trigger.until(1, 'finished');
		const kinds = trigger.items.map(({ json }) => json.kind);
		expect(kinds).toEqual(expect.arrayContaining(['queue', 'status', 'node', 'progress', 'preview', 'output', 'finished']));
		// The first event comes at once. A throttled event comes when an event arrives that is not throttled.
		const percents = trigger.items.flatMap(({ json }) => (json.kind === 'progress' ? [json.percent] : []));
		expect(percents.length).toBeLessThan(5);
		expect(percents.at(-1)).toBe(100);
		const preview = trigger.items.find(({ json }) => json.kind === 'preview');
		expect(preview).toMatchObject({
			json: { job_id: job.job_id, node_id: '2', binary_field: 'look' },
			binary: { look: { mimeType: 'image/jpeg', fileName: 'preview-2.jpg' } },
		});
		expect(trigger.items.find(({ json }) => json.kind === 'progress')?.json.event).toMatchObject({ data: { prompt_id: job.job_id } });
	});
});

const isFollowed = () => scene.sandbox.requests('GET /api/v2/jobs/:id/events').length > 0;

describe('listed jobs', () => {
	it.each(['hosted', 'self_hosted'] as const)('on %s report milestones and the end through their own streams', async (surface) => {
		const turn = jobsWait(scene.sandbox, isFollowed);
		const job = await scene.submit(slowGraph(30, 40, 71), surface);
		const trigger = await scene.listen(deliver('milestones', { ...listed(job.job_id), milestones: '40, 60' }), surface);
		await turn;
		await trigger.until(1, 'finished');
		expect(trigger.items.map(({ json }) => json.milestone ?? json.kind)).toEqual([40, 60, 'finished']);
		const ended = { job_id: job.job_id, interface: 'v2', status: 'succeeded', outputs: [{ node_id: '3' }] };
		expect(trigger.items.at(-1)?.json).toMatchObject(ended);
	});

	it('that have finished are reported once, also after a restart, and again in another list', async () => {
		const [job, other] = [await scene.submit(colorGraph(75)), await scene.submit(colorGraph(76))];
		const before = await scene.listen(deliver('onlyWhenFinished', listed(job.job_id)));
		await before.until(1);
		await before.close();
		scene.sandbox.resetRecords();
		const after = await scene.listen({ ...deliver('onlyWhenFinished', listed(job.job_id)), staticData: before.stored });
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(after.items).toEqual([]);
		expect(scene.sandbox.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /api/v2/jobs/${job.job_id}`]);
		const both = deliver('onlyWhenFinished', listed(`${other.job_id}, ${job.job_id}`));
		// Ends of the last seconds are reported again in any case.
		const changed = await scene.listen({ ...both, nodeId: 'another', staticData: deliveredLater(before.stored, 11_000) });
		await changed.until(2);
		expect(changed.items.map(({ json }) => json.job_id).sort()).toEqual([job.job_id, other.job_id].sort());
	});
});

it('all jobs of a service without a list are refused with the advice to use Hosted Account', async () => {
	const trigger = await scene.listen(deliver('onlyWhenFinished', all), 'hosted');
	await until(() => trigger.failures.length > 0);
	const message = 'The trigger cannot watch all jobs, because this service does not list them';
	expect(trigger.failures[0]).toMatchObject({ message, description: expect.stringContaining('Hosted Account') });
	await expect(scene.listen({ ...deliver('onlyWhenFinished', all), mode: 'manual' }, 'hosted')).rejects.toThrow(message);
});
