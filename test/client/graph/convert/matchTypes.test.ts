import { convertWorkflow } from '../../../../client';
import { definitions, graphText } from './support/recordings';

const inputsOf = (name: string, id: string): unknown =>
	convertWorkflow(JSON.parse(graphText(name)) as object, definitions).graph[id]?.inputs;

/** The frontends' own answers for these graphs are recorded. */
it.each([
	['matching/bypassed-picture', '3', { images: ['1', 0] }],
	['matching/bypassed-mask', '3', { mask: ['1', 0] }],
	['matching/bypassed-between-reroutes', '5', { images: ['1', 0] }],
	['matching/switch-bypassed', '4', { images: ['1', 0] }],
	['matching/subgraph-inside-bypassed', '3', { images: ['1', 0] }],
	['matching/nested-bypassed', '3', { images: ['1', 0] }],
	['matching/muted', '3', {}],
])('C1: %s: node %s takes what a node of matching types hands on', (name, id, inputs) => expect(inputsOf(name, id)).toEqual(inputs));

const switches = (count: number, mode: number): object[] =>
	Array.from({ length: count }, (_, at) => ({
		id: at + 2,
		type: 'ComfySwitchNode',
		mode,
		inputs: [{ name: 'on_false', type: '*', link: at + 1 }],
		outputs: [{ name: 'output', type: '*', links: [at + 2] }],
		widgets_values: [false],
	}));

it.each([0, 4])('C1: reads a chain of 10,000 switches (mode %i) without running out of stack', (mode) => {
	const count = 10_000;
	const start = { id: 1, type: 'EmptyImage', outputs: [{ name: 'IMAGE', type: 'IMAGE', links: [1] }], widgets_values: [64, 64, 1, 0] };
	const end = { id: count + 2, type: 'PreviewImage', inputs: [{ name: 'images', type: 'IMAGE', link: count + 1 }] };
	const links = Array.from({ length: count + 1 }, (_, at) => [at + 1, at + 1, 0, at + 2, 0, 'IMAGE']);
	const { graph } = convertWorkflow({ version: 0.4, nodes: [start, ...switches(count, mode), end], links }, definitions);
	expect(graph[String(count + 2)]?.inputs).toEqual({ images: [String(mode === 0 ? count + 1 : 1), 0] });
});

it('C1: reads switches that are linked in a circle', () => {
	const [first, second] = switches(2, 4);
	const preview = { id: 4, type: 'PreviewImage', inputs: [{ name: 'images', type: 'IMAGE', link: 3 }] };
	const links = [
		[1, 3, 0, 2, 0, '*'],
		[2, 2, 0, 3, 0, '*'],
		[3, 3, 0, 4, 0, '*'],
	];
	expect(() => convertWorkflow({ version: 0.4, nodes: [first, second, preview], links }, definitions)).toThrow('not_convertible');
});

it('C1: reads 5,000 links of different types into one node in less than three seconds', () => {
	const count = 5_000;
	const inputs = Array.from({ length: count }, (_, at) => ({ name: `inputs.input${at}`, type: '*', link: at + 1 }));
	const unknown = Array.from({ length: count }, (_, at) => ({
		id: at + 2,
		type: 'Reroute',
		outputs: [{ name: '', type: `T${at}`, links: [at + 1] }],
	}));
	const links = unknown.map(({ id }, at) => [at + 1, id, 0, 1, at, `T${at}`]);
	const before = process.cpuUsage().user;
	const { graph } = convertWorkflow({ version: 0.4, nodes: [{ id: 1, type: 'CreateList', inputs }, ...unknown], links }, definitions);
	expect(graph['1']?.inputs).toEqual({});
	expect(process.cpuUsage().user - before).toBeLessThan(3_000_000);
});
