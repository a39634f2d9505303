import { type ApiGraph, connect } from '../../../client';
import type { FaultRule } from '../../../sandbox';
import { previewWithMetadataFrame } from '../../../sandbox/socket/runFrames';
import { deadOrigin } from '../../client/support/deadOrigin';
import { runFaster } from '../../support/fastClock';
import { mayBeUnmet } from '../../support/metFaults';
import { until } from '../../support/until';
import { credentialFor } from '../support/flavours';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { jobsWait } from '../support/jobsWait';
import { deliver, useScene } from './support/scene';
import type { RunningTrigger } from './support/trigger';

runFaster(5);

const scene = useScene();
const listed = (jobIds: string) => ({ source: 'jobs', jobsToWatch: 'listed', jobIds });
const all = { source: 'jobs', jobsToWatch: 'all' };
const engine = { source: 'engine' };
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
/** A server that is down is looked for every 10 s. */
const NEXT_LOOK_MS = 15_000;

const onEngine = (delivery: string, more = {}) => scene.listen(deliver(delivery, { ...engine, ...more }), 'self_hosted');
const onBareEngine = async (delivery: string, more: object, changes = {}, mode?: 'manual'): Promise<RunningTrigger> =>
	await scene.listen({ ...deliver(delivery, { ...more }), mode, credential: credentialFor(scene.sandbox, 'bare_engine', changes) });
const watched = async () => await until(() => scene.sandbox.sockets('engine').length === 1);
const of = (items: Array<{ json: object }>): object[] => items.map(({ json }) => json);

/** As another client of the engine would. */
async function submit(graph: ApiGraph): Promise<string> {
	const connection = connect({ interface: 'engine', baseUrl: scene.sandbox.urls.engine });
	const { job_id: jobId } = await connection.jobs.submit({ graph });
	await connection.close();
	return jobId;
}

describe('an engine', () => {
	it('is followed through its queue and history from waiting to the end, by a client of its own and without the token', async () => {
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

	it('reports a canceled job', async () => {
		const trigger = await onEngine('onlyWhenFinished');
		await watched();
		const job = await scene.submit(slowGraph(2_000, 50, 82), 'self_hosted');
		await until(() => scene.sandbox.job(job.job_id)?.status === 'running');
		await scene.connect('self_hosted').jobs.cancel(job.job_id);
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: job.job_id, status: 'canceled' } }]);
	});

	it('is polled when its socket fails', async () => {
		scene.sandbox.inject({ on: 'GET /ws', surface: 'engine', times: Infinity, answer: { status: 200, html: true } });
		const trigger = await onEngine('onlyWhenFinished');
		await until(() => trigger.failures.length > 0);
		const job = await scene.submit(colorGraph(84), 'self_hosted');
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: job.job_id } }]);
		expect(trigger.failures[0]).toMatchObject({ description: expect.stringContaining('Engine Address') });
	});
});

describe('a bare engine, found at Address', () => {
	it('reports listed jobs that wait, run or have finished once each, names an unknown one, and reports no others', async () => {
		const ended = await submit(colorGraph(310));
		await until(() => scene.sandbox.job(ended)?.status === 'succeeded');
		const [running, failing] = [await submit(slowGraph(10, 40, 301)), await submit(failingGraph('listed'))];
		const trigger = await onBareEngine('onlyWhenFinished', listed([ended, running, failing, UNKNOWN].join()));
		await watched();
		await submit(colorGraph(302));
		await trigger.until(3);
		await until(() => trigger.logged.join().includes(`knows no job ${UNKNOWN}`));
		await new Promise((resolve) => setTimeout(resolve, 700));
		expect(trigger.items).toHaveLength(3);
		expect(Object.fromEntries(trigger.items.map(({ json }) => [json.job_id, json.status]))).toEqual({
			[ended]: 'succeeded',
			[running]: 'succeeded',
			[failing]: 'failed',
		});
		expect(trigger.logged.join().match(new RegExp(`knows no job ${UNKNOWN}`, 'g'))).toHaveLength(1);
	});

	it.each([
		['all jobs of a bare engine', async (delivery: string, more: object) => await onBareEngine(delivery, { ...all, ...more })],
		['a bare engine', async (delivery: string, more: object) => await onBareEngine(delivery, { ...engine, ...more })],
		['an engine at Engine Address', onEngine],
	])('reports a job that %s lost by a restart as expired, and later jobs', async (_, listen) => {
		const trigger = await listen('everyEvent', { filters: { eventKinds: ['status', 'finished'] } });
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
		const trigger = await onBareEngine('onlyWhenFinished', source);
		await until(() => trigger.logged.length > 0);
		expect(trigger.logged.join()).toMatch(/Nothing answers at .*tried again in 10 s/);
		expect(trigger.failures).toEqual([]);
		await scene.sandbox.startEngine();
		await until(() => scene.sandbox.sockets('engine').length === 1, NEXT_LOOK_MS);
		const jobId = await submit(colorGraph(307));
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: jobId, interface: 'engine' } }]);
	});

	it('fails a manual start immediately with both addresses', async () => {
		const [baseUrl, engineUrl] = [await deadOrigin(), await deadOrigin()];
		const starting = onBareEngine('onlyWhenFinished', all, { baseUrl, engineUrl }, 'manual');
		await expect(starting).rejects.toThrow(new RegExp(`No server was found.*${baseUrl}.*${engineUrl}`));
	});
});

it('a manual start fails for a listed job that the engine does not know', async () => {
	await expect(onBareEngine('onlyWhenFinished', listed(UNKNOWN), {}, 'manual')).rejects.toThrow(/knows no such job/);
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
	const trigger = await onBareEngine('onlyWhenFinished', engine, { engineAuthorizationSecret: 'Basic comfyui-marker-0123456789' });
	await until(() => trigger.failures.length > 0);
	scene.sandbox.configure({ engineAuthorization: null });
	expect(trigger.failures[0]).toMatchObject({ description: expect.stringContaining('Engine Authorization') });
	expect(JSON.stringify([trigger.failures, trigger.logged])).not.toContain('comfyui-marker');
});

it.each([
	['the hosted account', 'hosted', {}],
	['an engine', 'self_hosted', engine],
] as const)('a failure on %s is reported with the failing node', async (_, surface, source) => {
	const trigger = await scene.listen(deliver('onlyWhenFinished', source), surface);
	await scene.connected();
	await scene.submit(failingGraph(), surface);
	await trigger.until(1);
	expect(of(trigger.items)).toMatchObject([
		{ kind: 'finished', status: 'failed', job_error: { code: 'OOMError', node_id: '7', class_type: 'SandboxFail' } },
	]);
});

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

	it('reports every event, and only the newest of frequent ones', async () => {
		const options = { leastSecondsBetween: 3600, includeRawEvent: true, includePreviews: true };
		const trigger = await scene.listen(deliver('everyEvent', { options }));
		await scene.connected();
		const job = await scene.submit(slowGraph(40, 20, 31));
		await trigger.until(1, 'finished');
		const kinds = trigger.items.map(({ json }) => json.kind);
		expect(kinds).toEqual(expect.arrayContaining(['queue', 'status', 'node', 'progress', 'preview', 'output', 'finished']));
		// The first at once, then what waits when something comes that never waits.
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
		expect(trigger.failures.map(({ message }) => message)).toEqual([`The service knows no job ${UNKNOWN}`]);
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
		expect(scene.sandbox.requests()).toEqual([]);
	});

	it('that a restarted server lost are reported as expired', async () => {
		const job = await scene.submit(slowGraph(1_000, 100, 77), 'self_hosted');
		const filters = { eventKinds: ['status', 'finished'] };
		const trigger = await scene.listen(deliver('everyEvent', { ...listed(job.job_id), filters }), 'self_hosted');
		await trigger.until(1, 'status');
		// Its state may be read before the stream is opened again.
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
		const message = 'This service does not list jobs';
		expect(trigger.failures[0]).toMatchObject({ message, description: expect.stringContaining('Hosted Account') });
		await expect(scene.listen({ ...deliver('onlyWhenFinished', all), mode: 'manual' }, 'hosted')).rejects.toThrow(message);
	});
});
