import { slowGraph } from '../support/graphs';
import { INTERRUPT, newGraph, useEngine } from './support/engine';

const engine = useEngine();
const ALL = 'GET /api/object_info';
const ONE = 'GET /api/object_info/:class';

describe('/object_info', () => {
	test('all definitions', async () => {
		await expect(engine.connect().control.nodeDefinitions()).resolves.toMatchObject({ SaveImage: { output_node: true }, LoadImage: {} });
		expect([engine.count(ALL), engine.count(ONE)]).toEqual([1, 0]);
	});

	test('a few classes are asked for one by one; one that is not there is left out', async () => {
		const definitions = await engine
			.connect()
			.control.nodeDefinitions({ classes: ['SaveImage', 'Some Node/That is not there', 'LoadImage'] });
		expect(Object.keys(definitions).sort()).toEqual(['LoadImage', 'SaveImage']);
		expect([engine.count(ALL), engine.count(ONE)]).toEqual([0, 3]);
	});

	test('those of a workflow are not asked for all at once', async () => {
		const classes = Array.from({ length: 40 }, (_, place) => `Class${place}`);
		await engine.connect().control.nodeDefinitions({ classes: [...classes.slice(1), 'SaveImage'] });
		expect([engine.count(ALL), engine.count(ONE)]).toEqual([0, 40]);
		expect(engine.sandbox.peak(ONE)).toBeLessThanOrEqual(6);
	});

	test('many classes are asked for together', async () => {
		const definitions = await engine
			.connect()
			.control.nodeDefinitions({ classes: Array.from({ length: 41 }, (_, place) => `Class${place}`) });
		expect(definitions).toHaveProperty('SaveImage');
		expect([engine.count(ALL), engine.count(ONE)]).toEqual([1, 0]);
	});
});

test('GET /queue: [number, id, graph, extra_data, outputs], the next to run first', async () => {
	engine.sandbox.configure({ workers: 0 });
	const { jobs, control } = engine.connect();
	const graph = newGraph();
	const ids = [(await jobs.submit({ graph })).job_id, (await jobs.submit({ graph: newGraph() })).job_id];
	const { running, pending } = await control.queue();
	expect([running, pending.map(({ job_id }) => job_id)]).toEqual([[], ids]);
	expect(pending[0]).toMatchObject({ number: 0, workflow: graph, output_node_ids: ['2'], created_at: null });
});

test('POST /interrupt without an id stops whatever runs', async () => {
	const { jobs, control } = engine.connect();
	const { job_id } = await jobs.submit({ graph: slowGraph(200, 20) });
	await engine.running(job_id);
	await control.interrupt();
	await expect(engine.ended(job_id)).resolves.toMatchObject({ status: 'canceled', job_error: null });
	expect(engine.requests(INTERRUPT).map(({ bodyBytes }) => bodyBytes)).toEqual([0]);
});
