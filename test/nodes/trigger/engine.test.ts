import { until } from '../../support/until';
import { colorGraph, failingGraph, gatedGraph, slowGraph } from '../support/graphs';
import { deliver, useScene } from './support/scene';

const scene = useScene();
const ENGINE = { source: 'engine' };
const onEngine = (delivery: string, more = {}) => scene.listen(deliver(delivery, { ...ENGINE, ...more }), 'self_hosted');
const engineSocket = async () => await until(() => scene.sandbox.sockets('engine').length === 1);

describe('an engine', () => {
	it('is followed by its queue and history: waiting, running, outputs, the end', async () => {
		const trigger = await onEngine('everyEvent');
		await engineSocket();
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
	});

	it('tells why a job failed', async () => {
		const trigger = await onEngine('onlyWhenFinished');
		await engineSocket();
		await scene.submit(failingGraph('engine'), 'self_hosted');
		await trigger.until(1);
		expect(trigger.items).toMatchObject([
			{ json: { status: 'failed', job_error: { code: 'OOMError', node_id: '7', class_type: 'SandboxFail' } } },
		]);
	});

	it('tells of a job that was canceled', async () => {
		const trigger = await onEngine('onlyWhenFinished');
		await engineSocket();
		const job = await scene.submit(slowGraph(2_000, 50, 82), 'self_hosted');
		await until(() => scene.sandbox.job(job.job_id)?.status === 'running');
		await scene.connect('self_hosted').jobs.cancel(job.job_id);
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: job.job_id, status: 'canceled' } }]);
	});

	it('that restarts while it works: the job is told of as expired', async () => {
		const trigger = await onEngine('everyEvent', { filters: { eventKinds: ['status', 'finished'] } });
		await engineSocket();
		const job = await scene.submit(slowGraph(2_000, 50, 83), 'self_hosted');
		await trigger.until(1, 'status');
		scene.sandbox.restartEngine();
		const [finished] = await trigger.until(1, 'finished');
		expect(finished).toMatchObject({ json: { job_id: job.job_id, status: 'expired' } });
	});

	it('is not cut off from whoever submitted the job', async () => {
		await onEngine('onlyWhenFinished');
		await engineSocket();
		const clientIds = scene.sandbox.sockets('engine').map(({ clientId }) => clientId);
		expect(clientIds).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
		expect(scene.sandbox.jobs('self_hosted').map(({ id }) => id)).not.toContain(clientIds[0]);
	});

	it('without a socket is read now and then', async () => {
		scene.sandbox.inject({ on: 'GET /ws', surface: 'engine', times: Infinity, answer: { status: 200, html: true } });
		const trigger = await onEngine('onlyWhenFinished');
		await until(() => trigger.failures.length > 0);
		const job = await scene.submit(colorGraph(84), 'self_hosted');
		await trigger.until(1);
		expect(trigger.items).toMatchObject([{ json: { job_id: job.job_id } }]);
		expect(trigger.failures[0]).toMatchObject({ description: expect.stringContaining('Engine Address') });
	});

	it('gets no token', async () => {
		await scene.listen(deliver('onlyWhenFinished', ENGINE), 'self_hosted_token');
		await engineSocket();
		const headers = scene.sandbox.requests('* *', 'engine').map(({ headers: sent }) => sent);
		expect(JSON.stringify(headers)).not.toContain(scene.sandbox.keys.bearer);
	});
});
