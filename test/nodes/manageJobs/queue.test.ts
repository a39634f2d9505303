import { until } from '../../support/until';
import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { jsons, submitted } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox({ workers: 1 });
let running: string;
let waiting: [string, string];
beforeEach(async () => {
	running = await submitted(sandbox, slowGraph(3_000, 50, 1), v1());
	await until(() => sandbox.job(running)?.status === 'running');
	waiting = [await submitted(sandbox, slowGraph(3_000, 50, 2), v1()), await submitted(sandbox, slowGraph(3_000, 50, 3), v1())];
	sandbox.resetRecords();
});

const v1 = () => credentialFor(sandbox, 'v1');
const manage = async (operation: 'get' | 'delete' | 'interrupt', more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox), `queue:${operation}`, more));
const statuses = (...ids: string[]) => ids.map((id) => sandbox.job(id)?.status);

describe('Get', () => {
	it('lists running jobs, then waiting ones in their order, in v2’s words with v1’s beside them', async () => {
		const result = await manage('get');
		expect(jsons(result).map(({ job_id, status, service_status, position }) => [job_id, status, service_status, position])).toEqual([
			[running, 'running', 'in_progress', null],
			[waiting[0], 'queued', 'pending', 1],
			[waiting[1], 'queued', 'pending', 2],
		]);
		for (const item of jsons(result)) {
			expect(item).toMatchObject({
				interface: 'v1',
				node_count: 3,
				output_node_ids: ['3'],
				created_at: expect.stringMatching(/^\d{4}-.*Z$/),
				number: expect.any(Number),
			});
			expect(item).not.toHaveProperty('workflow');
		}
		expect(jsons(result).map(({ waiting_seconds }) => waiting_seconds)).toEqual([null, expect.any(Number), expect.any(Number)]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 0 }]);
	});

	it('outputs the workflows where asked to', async () => {
		const [first] = jsons(await manage('get', { parameters: { options: { includeWorkflow: true } } }));
		expect(first?.workflow).toEqual(slowGraph(3_000, 50, 1));
	});

	it('of an empty queue outputs nothing, and tells an agent so', async () => {
		await manage('delete', { parameters: { jobId: waiting.join() } });
		await manage('interrupt');
		await until(() => statuses(running)[0] === 'canceled');
		expect(jsons(await manage('get'))).toEqual([]);
		expect(jsons(await manage('get', { asTool: true }))).toEqual([{ interface: 'v1', running: 0, queued: 0 }]);
	});
});

describe('Delete', () => {
	it('takes jobs out of the queue, one or several, and says which were in it', async () => {
		const jobId = `${waiting[0]}, unknown, ${waiting[1]}`;
		const result = await manage('delete', { parameters: { jobId } });
		expect(jsons(result)).toEqual([
			{ job_id: waiting[0], interface: 'v1', was: 'queued', deleted: true },
			{ job_id: 'unknown', interface: 'v1', was: 'not_in_queue', deleted: false },
			{ job_id: waiting[1], interface: 'v1', was: 'queued', deleted: true },
		]);
		expect(statuses(...waiting, running)).toEqual(['canceled', 'canceled', 'running']);
		expect(sandbox.requests('POST /api/queue')).toHaveLength(1);
	});

	it('reads the job id of each item', async () => {
		const result = await manage('delete', { items: waiting.map((job_id) => ({ json: { job_id } })) });
		expect(jsons(result)).toMatchObject(waiting.map((job_id) => ({ job_id, deleted: true })));
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('says of a job that runs on that it does', async () => {
		sandbox.configure({ v1QueueDelete: 'pending_only' });
		const result = await manage('delete', { parameters: { jobId: running } });
		expect(jsons(result)).toEqual([{ job_id: running, interface: 'v1', was: 'running', deleted: false }]);
		expect(result.hints).toEqual([
			expect.stringContaining(`Still running, because only waiting jobs are taken out of the queue: ${running}`),
		]);
		expect(statuses(running)).toEqual(['running']);
	});

	it('without a job id names the field, and Continue On Fail goes on', async () => {
		const result = await manage('delete', { items: [{}, { json: { job_id: waiting[0] } }], ...CONTINUE });
		expect(jsons(result)).toMatchObject([{ error: 'Job ID is empty' }, { job_id: waiting[0], deleted: true }]);
	});

	it('keeps the id in a failure', async () => {
		sandbox.inject({ on: 'POST /api/queue', answer: { status: 403, code: 'forbidden', message: 'no' } });
		const result = await manage('delete', { items: [{ json: { job_id: waiting[0] } }], ...CONTINUE });
		expect(jsons(result)).toMatchObject([{ job_id: waiting[0], error: expect.stringMatching(/does not allow this action/) }]);
	});
});

describe('Interrupt', () => {
	it('stops every running job of the account, waiting ones stay, and names those that ran', async () => {
		sandbox.configure({ workers: 2 });
		await until(() => statuses(waiting[0])[0] === 'running');
		const result = await manage('interrupt');
		expect(jsons(result)).toEqual([{ interrupted: true, interface: 'v1', job_ids: [running, waiting[0]] }]);
		expect(sandbox.requests('POST /api/interrupt')).toHaveLength(1);
		await until(() => statuses(running, waiting[0]).every((status) => status === 'canceled'));
		expect(statuses(waiting[1])[0]).not.toBe('canceled');
	});

	it('is not sent where the key is wrong', async () => {
		const { error } = await runNode(manageRun(credentialFor(sandbox, 'hosted', { apiKey: 'canary-wrong' }), 'queue:interrupt'));
		expect(error?.message).toMatch(/did not accept the API Key/);
		expect(statuses(running)).toEqual(['running']);
	});
});

it.each(['get', 'delete', 'interrupt'] as const)('%s with Self-Hosted asks the engine', async (operation) => {
	const { error } = await runNode(manageRun(credentialFor(sandbox, 'self_hosted'), `queue:${operation}`, { parameters: { jobId: 'x' } }));
	expect(error).toBeUndefined();
	expect(new Set(sandbox.requests().map(({ surface }) => surface))).toEqual(new Set(['engine']));
});

it('no other operation interrupts, not even with every job in trouble', async () => {
	await manage('get');
	await manage('delete', { parameters: { jobId: [running, ...waiting].join() } });
	await runNode(manageRun(v1(), 'job:cancel', { parameters: { jobId: running } }));
	expect(sandbox.requests('POST /api/interrupt')).toEqual([]);
});
