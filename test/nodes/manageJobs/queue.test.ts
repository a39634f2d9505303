import { until } from '../../support/until';
import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor, type Way } from '../support/flavours';
import { slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { freshSandbox } from '../support/sandbox';
import { jsons, submitted } from '../support/submit';

const sandbox = freshSandbox({ workers: 1 });

/** One job runs, and two wait. */
let running: string;
let waiting: [string, string];

/** Hosted queues are read over v1, whatever the option *Interface* says. */
type QueueWay = Extract<Way, 'hosted' | 'self_hosted' | 'bare_engine'>;
const manageOver = async (way: QueueWay, what: Parameters<typeof manageRun>[1], more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox, way), what, more));
const status = (id: string) => sandbox.job(id)?.status;
const isOver = (id: string) => ['canceled', 'expired'].includes(String(status(id)));

describe.each<[QueueWay, 'v1' | 'engine']>([
	['hosted', 'v1'],
	['self_hosted', 'engine'],
	['bare_engine', 'engine'],
])('the queue behind %s', (way, interfaceName) => {
	afterEach(() => {
		const asked = new Set(sandbox.requests().map(({ surface }) => surface));
		expect([...asked]).toEqual([way === 'hosted' ? 'hosted' : 'engine']);
	});
	beforeEach(async () => {
		sandbox.configure({ v1QueueDelete: 'pending_only' });
		const credential = credentialFor(sandbox, interfaceName);
		running = await submitted(sandbox, slowGraph(3_000, 50, 1), credential);
		await until(() => status(running) === 'running');
		const next = async (seed: number) => await submitted(sandbox, slowGraph(3_000, 50, seed), credential);
		waiting = [await next(2), await next(3)];
		sandbox.resetRecords();
	});

	it('is listed by Get: running jobs, then waiting ones in their order, with their workflows if the item asks for them', async () => {
		const options = { includeWorkflow: '={{ $itemIndex === 1 }}' };
		const both = await manageOver(way, 'queue:get', { items: [{}, {}], parameters: { options } });
		const graphs = [1, 2, 3].map((seed) => slowGraph(3_000, 50, seed));
		expect(jsons(both).map(({ workflow }) => workflow)).toEqual([undefined, undefined, undefined, ...graphs]);
		const result = await manageOver(way, 'queue:get');
		const items = jsons(result);
		expect(items.map(({ job_id, status: word, position }) => [job_id, word, position])).toEqual([
			[running, 'running', null],
			[waiting[0], 'queued', 1],
			[waiting[1], 'queued', 2],
		]);
		for (const item of items) {
			expect(item).toMatchObject({ interface: interfaceName, node_count: 3, output_node_ids: ['3'], number: expect.any(Number) });
		}
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 0 }]);
		if (way !== 'hosted') return;
		expect(items.map(({ service_status }) => service_status)).toEqual(['in_progress', 'pending', 'pending']);
		expect(items.map(({ waiting_seconds }) => waiting_seconds)).toEqual([null, expect.any(Number), expect.any(Number)]);
		for (const { created_at } of items) expect(created_at).toMatch(/^\d{4}-.*Z$/);
	});

	it('loses the queued jobs that Delete names, and Delete says that a running job continues', async () => {
		const result = await manageOver(way, 'queue:delete', { parameters: { jobId: `${waiting[0]}, ${running}, unknown` } });
		expect(jsons(result)).toEqual([
			{ job_id: waiting[0], interface: interfaceName, was: 'queued', deleted: true },
			{ job_id: running, interface: interfaceName, was: 'running', deleted: false },
			{ job_id: 'unknown', interface: interfaceName, was: 'not_in_queue', deleted: false },
		]);
		expect(result.hints).toEqual([
			expect.stringContaining(`This operation removes only waiting jobs from the queue. These jobs are still running: ${running}`),
		]);
		expect([isOver(waiting[0]), status(waiting[1]), status(running)]).toEqual([true, 'queued', 'running']);
	});

	it('keeps its waiting jobs when Interrupt stops what runs and names it', async () => {
		expect(jsons(await manageOver(way, 'queue:interrupt'))).toEqual([{ interrupted: true, interface: interfaceName, job_ids: [running] }]);
		expect(sandbox.requests('POST /api/interrupt')).toHaveLength(1);
		await until(() => isOver(running));
		expect(isOver(waiting[0])).toBe(false);
	});

	it('loses several jobs by one request, returns nothing when it is empty, and says so to an agent', async () => {
		const parameters = { jobId: { __rl: true, mode: 'id', value: waiting.join(', ') } };
		const deleted = { interface: interfaceName, was: 'queued', deleted: true };
		expect(jsons(await manageOver(way, 'queue:delete', { parameters }))).toEqual(waiting.map((job_id) => ({ job_id, ...deleted })));
		expect([waiting.map(isOver), status(running)]).toEqual([[true, true], 'running']);
		if (way === 'hosted') expect(sandbox.requests('POST /api/queue')).toHaveLength(1);
		await manageOver(way, 'queue:interrupt');
		await until(() => isOver(running));
		expect(jsons(await manageOver(way, 'queue:get'))).toEqual([]);
		expect(jsons(await manageOver(way, 'queue:get', { asTool: true }))).toEqual([{ interface: interfaceName, running: 0, queued: 0 }]);
	});

	if (way !== 'hosted') return;
	const manage = async (operation: 'get' | 'delete' | 'interrupt', more: Partial<NodeRun> = {}) =>
		await manageOver(way, `queue:${operation}`, more);

	it('loses the job that each item names; Delete without a job id names the field, and continues with Continue On Fail', async () => {
		const result = await manage('delete', { items: [{}, ...waiting.map((job_id) => ({ json: { job_id } }))], ...CONTINUE });
		expect(jsons(result)).toMatchObject([{ error: 'Job ID is empty' }, ...waiting.map((job_id) => ({ job_id, deleted: true }))]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	});
});

it.each(['by_id', 'whatever_runs'] as const)(
	'Cancel of a queued job never interrupts the job of another client (interrupt %s)',
	async (engineInterrupt) => {
		sandbox.configure({ engineInterrupt });
		const engine = credentialFor(sandbox, 'engine');
		const theirs = await submitted(sandbox, slowGraph(3_000, 50, 1), engine);
		await until(() => status(theirs) === 'running');
		const mine = [await submitted(sandbox, slowGraph(3_000, 50, 2), engine), await submitted(sandbox, slowGraph(3_000, 50, 3), engine)];
		const result = await manageOver('bare_engine', 'job:cancel', { items: mine.map((job_id) => ({ json: { job_id } })) });
		const canceled = { interface: 'engine', status: 'canceled', cancel_confirmed: true };
		expect(jsons(result)).toMatchObject(mine.map((job_id) => ({ job_id, ...canceled })));
		expect(sandbox.requests('POST /api/interrupt', 'engine')).toEqual([]);
		expect(status(theirs)).toBe('running');
	},
);
