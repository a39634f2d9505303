/** Group nodes, which came before subgraphs. What ComfyUI's own frontends make of most of them is recorded in the graphs `group/`. */
import { cpuMs } from '../../../support/cpuTime';
import { convertWorkflow } from '../../../../client';
import { refusalsOf as refusalsIn } from './support/converted';
import { invert, picture, preview, primitive, reroute, sampler } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, out } from './support/sockets';

const CLASS = 'workflow>Mine';
/** A file with the group node 4, other nodes, and the links between them. */
const group = (inside: Json, node: Json, others: Json[] = [], links: unknown[] = []): Json =>
	file([{ id: 4, type: CLASS, inputs: [], outputs: [out('IMAGE')], ...node }, ...others], links, {
		last_node_id: 9,
		extra: { groupNodes: { Mine: { links: [], external: [], ...inside } } },
	});
const inputsIn = (...parts: Parameters<typeof group>): Record<string, unknown> =>
	Object.fromEntries(Object.entries(convertWorkflow(group(...parts), definitions).graph).map(([id, { inputs }]) => [id, inputs]));
const refusalsOf = (...parts: Parameters<typeof group>) => refusalsIn(group(...parts), definitions);

/** The frontend adds the title of the node to a name that is used already, then a number. */
it('the inputs of a group node have unique names', () => {
	const names = ['image', 'Same image', 'Same 2 image', 'Same 3 image'];
	const nodes = names.map(() => ({ ...invert(undefined, null), title: 'Same' }));
	const inputs = names.map((name, at) => into(name, 'IMAGE', at + 1));
	const pictures = [5, 6, 7, 8].map((id) => picture(id));
	expect(inputsIn({ nodes }, { inputs }, pictures, linked('5>4 6>4.1 7>4.2 8>4.3'))).toMatchObject({
		'14:10': { image: ['5', 0] },
		'14:11': { image: ['6', 0] },
		'14:12': { image: ['7', 0] },
		'14:13': { image: ['8', 0] },
	});
});

/** The widget of a primitive node has a control for a number, and a control and a filter for a choice. */
it.each<[type: string, input: string, values: unknown[]]>([
	['FLOAT', 'cfg', [3.5, 'fixed']],
	['COMBO', 'sampler_name', ['heun', 'fixed', '']],
])('a group node has as many values for a primitive node as that has widgets: %s', (type, input, values) => {
	const others = { seed: 7, steps: 20, cfg: 8, sampler_name: 'euler', scheduler: 'normal', denoise: 0.5 };
	const saved = Object.entries(others).flatMap(([name, value]) => (name === input ? [] : name === 'seed' ? [value, 'fixed'] : [value]));
	const nodes = [primitive(undefined, [], type, []), sampler(undefined, [], { inputs: [into(input, type, null, input)] })];
	expect(inputsIn({ nodes, links: [[0, 0, 1, 0, 1, type]] }, { widgets_values: [...values, ...saved] })).toEqual({
		'12:11': { ...others, [input]: values[0] },
	});
});

// An output that is only used inside is hidden, so the first output of the group node is that of the last node.
it.each<[what: string, nodes: Json[], inside: Json]>([
	['if the author made it visible', [picture(1), preview(2)], { config: { 0: { output: { 0: { visible: true } } } } }],
	['of a reroute that is used outside', [picture(1), reroute(2, null), preview(3)], { external: [[1, 0, 'IMAGE']] }],
])('an output of a node inside is shown %s', (_, nodes, inside) => {
	const links = nodes.slice(1).map((_node, at) => [at, 0, at + 1, 0, at + 1, 'IMAGE']);
	const images = [nodes.length === 2 ? '12:10' : '13:10', 0];
	expect(inputsIn({ nodes, links, ...inside }, {}, [preview(6)], linked('4>6'))['6']).toEqual({ images });
});

it('a widget that was made an input is linked, which the frontend of today cannot export', () => {
	const width = into('width', 'INT', 1, 'width');
	const inside = { nodes: [{ type: 'EmptyImage', inputs: [width], widgets_values: [64, 64, 1, 0] }] };
	const number = { id: 5, type: 'PrimitiveInt', outputs: [out('INT')], widgets_values: [99] };
	const workflow = group(inside, { inputs: [width], widgets_values: [32, 3, 7] }, [number], linked('5>4', 'INT'));
	const { graph, notes } = convertWorkflow(workflow, definitions);
	expect(graph['11:10']?.inputs).toEqual({ width: ['5', 0], height: 32, batch_size: 3, color: 7 });
	expect(notes).toMatchObject(['height', 'batch_size', 'color'].map((input) => ({ note: 'widget_guessed', input })));
});

it('a class inside that the server lacks is named', () => {
	const nodes = ['Gone', 'Lost'].map((type) => ({ type, title: `My ${type}` }));
	expect(refusalsOf({ nodes }, {})).toMatchObject([
		{ refusal: 'unknown_class', nodeId: '12:10', className: 'Gone', title: 'My Gone' },
		{ refusal: 'unknown_class', nodeId: '12:11', className: 'Lost', title: 'My Lost' },
	]);
});

it('junk in a group node leaves out its links, or makes the file a broken one', () => {
	const nodes = [{ type: 'EmptyImage', inputs: [] }, { type: 'PrimitiveNode' }, { type: 'Reroute' }];
	for (const junk of [null, 7, 'x', [], [null], [[null, null, 0, 0]], [[0, 0, 0, 0, 1]], [['x', {}, [], -1]], { 0: { input: null } }]) {
		const { graph } = convertWorkflow(group({ nodes, links: junk, external: junk, config: junk }, { widgets_values: junk }), definitions);
		expect(Object.keys(graph)).toEqual(['13:10']);
		for (const { refusal } of refusalsOf({ nodes: junk, links: junk }, { widgets_values: junk }))
			expect(['broken_file', 'nothing_to_run']).toContain(refusal);
	}
});

it('more nodes than any real workflow has are refused', () => {
	const nodes = Array.from({ length: 300 }, () => ({ type: 'EmptyImage' }));
	const others = Array.from({ length: 100 }, (_, at) => ({ id: at + 10, type: CLASS }));
	expect(refusalsOf({ nodes }, {}, others)).toMatchObject([{ refusal: 'too_large' }]);
});

it('thousands of instances between thousands of links are read soon', () => {
	const hosts = Array.from({ length: 2_000 }, (_, at) => ({ id: at + 10, type: CLASS }));
	const links = Array.from({ length: 20_000 }, (_, at) => [at, (at % 2_000) + 10, 0, ((at + 1) % 2_000) + 10, 0, 'IMAGE']);
	const before = cpuMs();
	expect(refusalsOf({ nodes: [] }, {}, [...hosts, picture(5)], links)).toEqual([]);
	expect(cpuMs() - before).toBeLessThan(3_000);
});
