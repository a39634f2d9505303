import { until } from '../../support/until';
import { type NodeRun, runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { slowGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { jsons, submitted } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox();
let running: string;
let waiting: [string, string];
beforeEach(async () => {
	const engine = credentialFor(sandbox, 'engine');
	running = await submitted(sandbox, slowGraph(3_000, 50, 1), engine);
	await until(() => sandbox.job(running)?.status === 'running');
	waiting = [await submitted(sandbox, slowGraph(3_000, 50, 2), engine), await submitted(sandbox, slowGraph(3_000, 50, 3), engine)];
	sandbox.resetRecords();
});

type QueueWay = 'self_hosted' | 'bare_engine';
const manage = async (what: Parameters<typeof manageRun>[1], way: QueueWay, more: Partial<NodeRun> = {}) =>
	await runNode(manageRun(credentialFor(sandbox, way), what, more));
const status = (id: string) => sandbox.job(id)?.status;
const isOver = (id: string) => ['canceled', 'expired'].includes(String(status(id)));

describe.each<QueueWay>(['self_hosted', 'bare_engine'])('the queue of an engine (%s)', (way) => {
	it('Get lists running and waiting jobs', async () => {
		const items = jsons(await manage('queue:get', way));
		expect(items.map(({ job_id, status: word, position }) => [job_id, word, position])).toEqual([
			[running, 'running', null],
			[waiting[0], 'queued', 1],
			[waiting[1], 'queued', 2],
		]);
		for (const item of items)
			expect(item).toMatchObject({ interface: 'engine', node_count: 3, output_node_ids: ['3'], number: expect.any(Number) });
	});

	it('Delete takes waiting jobs out, and says of a running one that it runs on', async () => {
		const result = await manage('queue:delete', way, { parameters: { jobId: `${waiting[0]}, ${running}, unknown` } });
		expect(jsons(result)).toEqual([
			{ job_id: waiting[0], interface: 'engine', was: 'queued', deleted: true },
			{ job_id: running, interface: 'engine', was: 'running', deleted: false },
			{ job_id: 'unknown', interface: 'engine', was: 'not_in_queue', deleted: false },
		]);
		expect(result.hints).toEqual([
			expect.stringContaining(`Still running, because only waiting jobs are taken out of the queue: ${running}`),
		]);
		expect([isOver(waiting[0]), status(waiting[1]), status(running)]).toEqual([true, 'queued', 'running']);
	});

	it('Interrupt stops what runs and names it; waiting jobs stay', async () => {
		expect(jsons(await manage('queue:interrupt', way))).toEqual([{ interrupted: true, interface: 'engine', job_ids: [running] }]);
		await until(() => isOver(running));
		expect(isOver(waiting[0])).toBe(false);
	});

	it('of an empty queue outputs nothing, and tells an agent so', async () => {
		await manage('queue:delete', way, { parameters: { jobId: waiting.join() } });
		await manage('queue:interrupt', way);
		await until(() => isOver(running));
		expect(jsons(await manage('queue:get', way))).toEqual([]);
		expect(jsons(await manage('queue:get', way, { asTool: true }))).toEqual([{ interface: 'engine', running: 0, queued: 0 }]);
	});
});

it.each(['by_id', 'whatever_runs'] as const)(
	'Cancel of a waiting job never interrupts the job of somebody else (interrupt %s)',
	async (engineInterrupt) => {
		sandbox.configure({ engineInterrupt, engineJobRoutes: false });
		const result = await manage('job:cancel', 'bare_engine', { items: waiting.map((job_id) => ({ json: { job_id } })) });
		expect(jsons(result)).toMatchObject(
			waiting.map((job_id) => ({ job_id, interface: 'engine', status: 'canceled', cancel_confirmed: true })),
		);
		expect(sandbox.requests('POST /api/interrupt', 'engine')).toEqual([]);
		expect(status(running)).toBe('running');
	},
);

describe('node definitions', () => {
	it('of chosen classes are asked for one by one', async () => {
		const items = jsons(await manage('nodeDefinition:getAll', 'bare_engine', { parameters: { classes: 'SaveImage, EmptyImage' } }));
		expect(items.map(({ class_name }) => class_name)).toEqual(['SaveImage', 'EmptyImage']);
		expect(sandbox.requests('GET /api/object_info', 'engine')).toEqual([]);
	});

	it('of an unknown class name what is near', async () => {
		const { error } = await manage('nodeDefinition:getAll', 'bare_engine', { parameters: { classes: 'EmptyImage, svaeimage' } });
		expect(error?.message).toBe('The service has no node class "svaeimage"');
		expect(error?.description).toMatch(/SaveImage/);
	});

	it('all of them by default', async () => {
		expect(jsons(await manage('nodeDefinition:getAll', 'self_hosted')).length).toBeGreaterThan(10);
	});
});
