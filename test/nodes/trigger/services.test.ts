import type { FaultRule } from '../../../sandbox';
import { previewWithMetadataFrame } from '../../../sandbox/socket/runFrames';
import { runFaster } from '../../support/fastClock';
import { mayBeUnmet } from '../../support/metFaults';
import { until } from '../../support/until';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { deliver, useScene } from './support/scene';

runFaster(5);

const scene = useScene();
const listed = (jobIds: string) => ({ source: 'jobs', jobsToWatch: 'listed', jobIds });
const all = { source: 'jobs', jobsToWatch: 'all' };

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const of = (items: Array<{ json: object }>): object[] => items.map(({ json }) => json);

describe('the hosted account', () => {
	it('starts one execution for each milestone and one at the end', async () => {
		const trigger = await scene.listen(deliver('milestones'));
		await scene.connected();
		const job = await scene.submit(slowGraph(20, 20, 11));
		await trigger.until(1, 'finished');
		const { job_id } = job;
		const outputs = [{ node_id: '3', type: 'image' }];
		expect(of(trigger.items)).toMatchObject([
			...[25, 50, 75].map((milestone) => ({ kind: 'milestone', milestone, job_id, interface: 'v1', status: 'running' })),
			{ kind: 'finished', job_id, status: 'succeeded', service_status: 'success', percent: 100, outputs, job_error: null },
		]);
		expect(new Set(trigger.onceKeys).size).toBe(4);
	});

	it('M12: starts two triggers of one workflow for the same job, each once', async () => {
		const triggers = await Promise.all(['first', 'second'].map(async (nodeId) => await scene.listen({ ...deliver('milestones'), nodeId })));
		await scene.connected(triggers.length);
		const { job_id } = await scene.submit(slowGraph(20, 20, 12));
		for (const trigger of triggers) {
			await trigger.until(1, 'finished');
			expect(of(trigger.items)).toMatchObject([
				...[25, 50, 75].map((milestone) => ({ kind: 'milestone', milestone, job_id })),
				{ kind: 'finished', job_id },
			]);
		}
	});

	it('reports every event, and only the newest of frequent ones', async () => {
		const options = { leastSecondsBetween: 3600, includeRawEvent: true, includePreviews: true };
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
			json: { job_id: job.job_id, node_id: '2', binary_field: 'data' },
			binary: { data: { mimeType: 'image/jpeg', fileName: 'preview-2.jpg' } },
		});
		expect(trigger.items.find(({ json }) => json.kind === 'progress')?.json.event).toMatchObject({ data: { prompt_id: job.job_id } });
	});

	it('leaves out previews that are too large to keep', async () => {
		const trigger = await scene.listen(deliver('everyEvent', { options: { includePreviews: true }, filters: { eventKinds: ['preview'] } }));
		await scene.connected();
		const metadata = { node_id: '3', display_node_id: '3', real_node_id: '3', prompt_id: 'some-job', parent_node_id: null };
		const image = (bytes: number) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(bytes)]);
		scene.sandbox.sendFrame(previewWithMetadataFrame(metadata, image(600 * 1024)), 'hosted');
		const [preview] = await trigger.until(1);
		expect(preview?.json).toMatchObject({ kind: 'preview', preview_bytes: 600 * 1024 + 3, preview_content_type: 'image/jpeg' });
		expect(preview?.binary).toBeUndefined();
	});
});

const isFollowed = () => scene.sandbox.requests('GET /api/v2/jobs/:id/events').length > 0;

describe('listed jobs', () => {
	it.each(['hosted', 'deployment', 'self_hosted'] as const)(
		'on %s report milestones and the end through their own streams',
		async (surface) => {
			const turn = jobsWait(scene.sandbox, isFollowed);
			const job = await scene.submit(slowGraph(30, 40, 71), surface);
			const trigger = await scene.listen(deliver('milestones', { ...listed(job.job_id), milestones: '40, 60' }), surface);
			await turn;
			await trigger.until(1, 'finished');
			expect(trigger.items.map(({ json }) => json.milestone ?? json.kind)).toEqual([40, 60, 'finished']);
			const ended = { job_id: job.job_id, interface: 'v2', status: 'succeeded', outputs: [{ node_id: '3' }] };
			expect(trigger.items.at(-1)?.json).toMatchObject(ended);
		},
	);

	it('are followed together, also when one has finished and one is unknown', async () => {
		const ended = await scene.submit(failingGraph('listed'));
		await until(() => scene.sandbox.job(ended.job_id)?.status === 'failed');
		const running = await scene.submit(slowGraph(5, 20, 72));
		const trigger = await scene.listen(deliver('onlyWhenFinished', listed(`${ended.job_id}, ${running.job_id}, ${UNKNOWN}`)));
		await trigger.until(2);
		expect(Object.fromEntries(trigger.items.map(({ json }) => [json.job_id, json.status]))).toEqual({
			[ended.job_id]: 'failed',
			[running.job_id]: 'succeeded',
		});
		await until(() => trigger.failures.length > 0);
		expect(trigger.failures.map(({ message }) => message)).toEqual([`The service has no job with the ID ${UNKNOWN}`]);
	});

	const events = 'GET /api/v2/jobs/:id/events';
	it.each<[string, FaultRule[]]>([
		['the service sends no events', [{ on: events, times: Infinity, answer: { status: 501, code: 'not_implemented' } }]],
		[
			'streams are lost and reads fail',
			[
				{ on: events, times: 2, fault: { kind: 'lost_stream', afterEvents: 3 } },
				{ on: 'GET /api/v2/jobs/:id', times: 2, answer: { status: 503, code: 'upstream_error' } },
			],
		],
	])('are reported when %s', async (_, faults) => {
		for (const fault of faults) scene.sandbox.inject(fault);
		const turn = jobsWait(scene.sandbox, isFollowed);
		const job = await scene.submit(slowGraph(20, 50, 73));
		const trigger = await scene.listen(deliver('eachOutput', listed(job.job_id)));
		await turn;
		await trigger.until(1, 'finished');
		expect(trigger.items.map(({ json }) => json.kind)).toEqual(['output', 'finished']);
		expect(trigger.failures).toEqual([]);
	});

	it('that have finished are reported once, also after a restart', async () => {
		const job = await scene.submit(colorGraph(75));
		const before = await scene.listen(deliver('onlyWhenFinished', listed(job.job_id)));
		await before.until(1);
		await before.close();
		scene.sandbox.resetRecords();
		const after = await scene.listen({ ...deliver('onlyWhenFinished', listed(job.job_id)), staticData: before.stored });
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(after.items).toEqual([]);
		expect(scene.sandbox.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([`GET /api/v2/jobs/${job.job_id}`]);
	});

	it('that a restarted server lost are reported as expired', async () => {
		const job = await scene.submit(slowGraph(1_000, 100, 77), 'self_hosted');
		const filters = { eventKinds: ['status', 'finished'] };
		const trigger = await scene.listen(deliver('everyEvent', { ...listed(job.job_id), filters }), 'self_hosted');
		await trigger.until(1, 'status');
		// The job may be read before the stream is opened again.
		mayBeUnmet(scene.sandbox.inject({ on: events, times: Infinity, answer: { status: 501, code: 'not_implemented' } }));
		scene.sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 404, code: 'not_found' } });
		scene.sandbox.restartEngine();
		const [finished] = await trigger.until(1, 'finished');
		expect(finished?.json).toMatchObject({ job_id: job.job_id, status: 'expired' });
	});

	it('are released immediately when the trigger stops', async () => {
		const job = await scene.submit(slowGraph(500, 100, 78));
		const trigger = await scene.listen(deliver('onlyWhenFinished', listed(job.job_id)));
		await until(() => isFollowed() && scene.sandbox.job(job.job_id)?.status === 'running');
		await trigger.close();
		expect(scene.sandbox.job(job.job_id)?.status).toBe('running');
		await scene.connect().jobs.cancel(job.job_id);
	});
});

describe('all jobs', () => {
	it.each(['deployment', 'self_hosted'] as const)('of %s are reported', async (surface) => {
		const turn = jobsWait(scene.sandbox, isFollowed);
		const running = await scene.submit(slowGraph(10, 40, 76), surface);
		const trigger = await scene.listen(deliver('onlyWhenFinished', all), surface);
		await turn;
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: running.job_id, status: 'succeeded', outputs: [{ node_id: '3' }] } }]);
	});

	it('of a service without a list are refused with the advice to use Hosted Account', async () => {
		const trigger = await scene.listen(deliver('onlyWhenFinished', all), 'hosted');
		await until(() => trigger.failures.length > 0);
		const message = 'The trigger cannot watch all jobs, because this service does not list them';
		expect(trigger.failures[0]).toMatchObject({ message, description: expect.stringContaining('Hosted Account') });
		await expect(scene.listen({ ...deliver('onlyWhenFinished', all), mode: 'manual' }, 'hosted')).rejects.toThrow(message);
	});
});
