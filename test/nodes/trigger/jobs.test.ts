import { until } from '../../support/until';
import { colorGraph, failingGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { deliver, useScene } from './support/scene';
import { runFaster } from '../../support/fastClock';

runFaster(5);

const scene = useScene();
const listed = (jobIds: string) => ({ source: 'jobs', jobsToWatch: 'listed', jobIds });
const all = { source: 'jobs', jobsToWatch: 'all' };
const isFollowed = () => scene.sandbox.requests('GET /api/v2/jobs/:id/events').length > 0;

describe('listed jobs', () => {
	it.each(['hosted', 'deployment', 'self_hosted'] as const)(
		'on %s tell of milestones and the end, over their own streams',
		async (surface) => {
			const turn = jobsWait(scene.sandbox, isFollowed);
			const job = await scene.submit(slowGraph(30, 40, 71), surface);
			const trigger = await scene.listen(deliver('milestones', { ...listed(job.job_id), milestones: '40, 60' }), surface);
			await turn;
			await trigger.until(1, 'finished');
			expect(trigger.items.map(({ json }) => json.milestone ?? json.kind)).toEqual([40, 60, 'finished']);
			expect(trigger.items.at(-1)?.json).toMatchObject({
				job_id: job.job_id,
				interface: 'v2',
				status: 'succeeded',
				outputs: [{ node_id: '3' }],
			});
		},
	);

	it('several at once, among them one that has ended and one that nobody knows', async () => {
		const ended = await scene.submit(failingGraph('listed'));
		await until(() => scene.sandbox.job(ended.job_id)?.status === 'failed');
		const running = await scene.submit(slowGraph(5, 20, 72));
		const unknown = '00000000-0000-4000-8000-000000000000';
		const trigger = await scene.listen(deliver('onlyWhenFinished', listed(`${ended.job_id}, ${running.job_id}, ${unknown}`)));
		await trigger.until(2);
		expect(Object.fromEntries(trigger.items.map(({ json }) => [json.job_id, json.status]))).toEqual({
			[ended.job_id]: 'failed',
			[running.job_id]: 'succeeded',
		});
		await until(() => trigger.failures.length > 0);
		expect(trigger.failures.map(({ message }) => message)).toEqual([`The service knows no job ${unknown}`]);
	});

	it('are told of where the service sends no events', async () => {
		scene.sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', times: Infinity, answer: { status: 501, code: 'not_implemented' } });
		const turn = jobsWait(scene.sandbox, isFollowed);
		const job = await scene.submit(slowGraph(5, 20, 73));
		const trigger = await scene.listen(deliver('eachOutput', listed(job.job_id)));
		await turn;
		await trigger.until(1, 'finished');
		expect(trigger.items.map(({ json }) => json.kind)).toEqual(['output', 'finished']);
	});

	it('are followed on after lost streams and failing reads', async () => {
		scene.sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', times: 2, fault: { kind: 'lost_stream', afterEvents: 3 } });
		scene.sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: 2, answer: { status: 503, code: 'upstream_error' } });
		const turn = jobsWait(scene.sandbox, isFollowed);
		const job = await scene.submit(slowGraph(20, 50, 74));
		const trigger = await scene.listen(deliver('onlyWhenFinished', listed(job.job_id)));
		await turn;
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: job.job_id } }]);
		expect(trigger.failures).toEqual([]);
	});

	it('that have ended are told of once, also after a restart', async () => {
		const job = await scene.submit(colorGraph(75));
		const before = await scene.listen(deliver('onlyWhenFinished', listed(job.job_id)));
		await before.until(1);
		await before.close();
		scene.sandbox.resetRecords();
		const after = await scene.listen({ ...deliver('onlyWhenFinished', listed(job.job_id)), staticData: before.stored });
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(after.items).toEqual([]);
		expect(scene.sandbox.requests()).toEqual([]);
	});

	it('that a restarted server has forgotten are told of as expired', async () => {
		const job = await scene.submit(slowGraph(1_000, 100, 77), 'self_hosted');
		const trigger = await scene.listen(
			deliver('everyEvent', { ...listed(job.job_id), filters: { eventKinds: ['status', 'finished'] } }),
			'self_hosted',
		);
		await trigger.until(1, 'status');
		scene.sandbox.inject({ on: 'GET /api/v2/jobs/:id/events', times: Infinity, answer: { status: 501, code: 'not_implemented' } });
		scene.sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 404, code: 'not_found' } });
		await scene
			.connect('self_hosted')
			.jobs.cancel(job.job_id)
			.catch(() => undefined);
		scene.sandbox.restartEngine();
		const [finished] = await trigger.until(1, 'finished');
		expect(finished?.json).toMatchObject({ job_id: job.job_id, status: 'expired' });
	});

	it('are let go of at once when listening ends', async () => {
		const job = await scene.submit(slowGraph(500, 100, 78));
		const trigger = await scene.listen(deliver('onlyWhenFinished', listed(job.job_id)));
		await until(() => isFollowed() && scene.sandbox.job(job.job_id)?.status === 'running');
		await trigger.close();
		expect(scene.sandbox.job(job.job_id)?.status).toBe('running');
		await scene.connect().jobs.cancel(job.job_id);
	});
});

describe('all jobs', () => {
	it.each(['deployment', 'self_hosted'] as const)('of %s are told of', async (surface) => {
		const turn = jobsWait(scene.sandbox, isFollowed);
		const running = await scene.submit(slowGraph(10, 40, 76), surface);
		const trigger = await scene.listen(deliver('onlyWhenFinished', all), surface);
		await turn;
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: running.job_id, status: 'succeeded', outputs: [{ node_id: '3' }] } }]);
	});

	it('of a service that keeps no list: says to use Hosted Account', async () => {
		const trigger = await scene.listen(deliver('onlyWhenFinished', all), 'hosted');
		await until(() => trigger.failures.length > 0);
		expect(trigger.failures[0]).toMatchObject({
			message: 'This service does not list jobs',
			description: expect.stringContaining('Hosted Account'),
		});
		await expect(scene.listen({ ...deliver('onlyWhenFinished', all), mode: 'manual' }, 'hosted')).rejects.toThrow(
			'This service does not list jobs',
		);
	});
});
