import { type ApiGraph, applyInputs, convertWorkflow, exactText, type InputValues, parseExact, writeValues } from '../../../../client';
import { picture, preview, primitive, sampler } from '../convert/support/nodes';
import { definitions } from '../convert/support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from '../convert/support/sockets';

const now = new Date(2026, 10, 27);
const toGraph = (workflow: unknown): ApiGraph => convertWorkflow(workflow, definitions, { now }).graph;

/** Writes values, and expects that the written file converts to the graph that has them. */
function write(workflow: Json, values: InputValues): Json {
	const graph = applyInputs(toGraph(workflow), values);
	const written = writeValues(workflow, graph, definitions, { now });
	if (written === undefined) throw new Error('no file has these values');
	expect(toGraph(written)).toEqual(graph);
	return written;
}

const nodeOf = (level: unknown, id: number): Json => (level as { nodes: Json[] }).nodes.find((node) => node.id === id) ?? {};
const valuesOf = (level: unknown, id: number): unknown => nodeOf(level, id).widgets_values;
const levelOf = (written: Json, index: number): Json => (written.definitions as { subgraphs: Json[] }).subgraphs[index] ?? {};

const SAMPLER_VALUES = [7, 'randomize', 20, 8, 'euler', 'normal', 1];

describe('widgets of the nodes themselves', () => {
	it('keeps the control after a seed, and the digits of a long seed', () => {
		const workflow = file([sampler(1, SAMPLER_VALUES), sampler(2, [8, 'fixed', 30, 8, 'euler', 'normal', 1])]);
		const seed = parseExact('18446744073709551557');
		const written = write(workflow, { '1': { seed, steps: 4 }, '2': { seed: 9 } });
		expect(exactText(valuesOf(written, 1))).toBe('[18446744073709551557,"randomize",4,8,"euler","normal",1]');
		expect(valuesOf(written, 2)).toEqual([9, 'fixed', 30, 8, 'euler', 'normal', 1]);
		expect(valuesOf(workflow, 1)).toEqual(SAMPLER_VALUES);
	});

	it('writes a prompt so that the editor does not resolve it once more', () => {
		const encode = (id: number) => ({ id, type: 'CLIPTextEncode', inputs: [into('clip', 'CLIP', null)], widgets_values: ['{a|b} fox'] });
		const workflow = file([encode(1), encode(2)]);
		const written = write(workflow, { '1': { text: 'a {red} fox, https://fox.example /* no */' }, '2': { text: 'b fox' } });
		expect(valuesOf(written, 1)).toEqual(['a \\{red\\} fox, https:{/}/fox.example {/}* no *{/}'.replace('*{/}', '*/')]);
		expect(valuesOf(written, 2)).toEqual(['b fox']);
	});

	it('keeps a pattern with a date, and replaces one with a value that changes', () => {
		const save = (id: number, prefix: string, link: number) => ({
			id,
			type: 'SaveImage',
			inputs: [into('images', 'IMAGE', link)],
			widgets_values: [prefix],
		});
		const nodes = [picture(1), save(2, '%date:yyyy%/%EmptyImage.width%', 1), save(3, '%date:yyyy%', 2)];
		const written = write(file(nodes, linked('1>2 1>3')), { '1': { width: 128 } });
		expect(valuesOf(written, 2)).toEqual(['2026/64']);
		expect(valuesOf(written, 3)).toEqual(['%date:yyyy%']);
	});

	it('removes the link of an input that gets a value, and keeps the others', () => {
		const nodes = [
			{ id: 1, type: 'PrimitiveInt', outputs: [out('INT', 1, 2)], widgets_values: [64, 'fixed'] },
			picture(2, { inputs: [into('width', 'INT', 1, 'width')] }),
			picture(3, { inputs: [into('width', 'INT', 2, 'width')] }),
		];
		const written = write(file(nodes, linked('1>2 1>3', 'INT')), { '2': { width: 96 } });
		expect(written.links).toEqual(linked('1>3', 'INT', 2));
		expect(nodeOf(written, 1).outputs).toEqual([out('INT', 2)]);
		expect(valuesOf(written, 2)).toEqual([96, 64, 1, 0]);
	});
});

describe('primitive nodes', () => {
	const workflow = file(
		[
			primitive(1, [64, 'fixed'], 'INT', [1, 2]),
			picture(2, { inputs: [into('width', 'INT', 1, 'width')] }),
			picture(3, { inputs: [into('width', 'INT', 2, 'width')] }),
		],
		linked('1>2 1>3', 'INT'),
	);

	it('keep the value of two inputs that get the same one', () => {
		const written = write(workflow, { '2': { width: 96 }, '3': { width: 96 } });
		expect(valuesOf(written, 1)).toEqual([96, 'fixed']);
		expect(written.links).toEqual(workflow.links);
	});

	it('lose the input that gets a different value', () => {
		const written = write(workflow, { '3': { width: 128 } });
		expect(valuesOf(written, 1)).toEqual([64, 'fixed']);
		expect(valuesOf(written, 3)).toEqual([128, 64, 1, 0]);
		expect(written.links).toEqual(linked('1>2', 'INT'));
	});
});

describe('subgraphs', () => {
	const socket = { id: 's', name: 'width', type: 'INT', linkIds: [1] };
	const inner = subgraph('a', [picture(11, { inputs: [into('width', 'INT', 1, 'width')] })], {
		inputs: [socket],
		outputs: [{ id: 'o', name: 'IMAGE', type: 'IMAGE', linkIds: [2] }],
		links: linkedInside('-10>11 11>-20'),
	});
	const host = (id: number, widgets_values?: unknown) => ({
		id,
		type: 'a',
		inputs: [into('width', 'INT', null, 'width')],
		outputs: [out('IMAGE')],
		...(widgets_values !== undefined && { widgets_values }),
	});

	it('get the values of promoted widgets in each of their nodes, also in one that has inherited it', () => {
		const nodes = [host(1, [128]), host(2), preview(3, 1), preview(4, 2)];
		const written = write(file(nodes, linked('1>3 2>4'), withSubgraphs(inner)), { '1:11': { width: 96 }, '2:11': { width: 32 } });
		expect([valuesOf(written, 1), valuesOf(written, 2)]).toEqual([[96], [32]]);
		expect(valuesOf(levelOf(written, 0), 11)).toEqual([64, 64, 1, 0]);
	});

	it('get the values of widgets that are not promoted, two levels deep', () => {
		const outer = subgraph('b', [host(21, [128])], {
			outputs: [{ id: 'o', name: 'IMAGE', type: 'IMAGE', linkIds: [1] }],
			links: linkedInside('21>-20'),
		});
		const nodes = [{ id: 1, type: 'b', outputs: [out('IMAGE')] }, preview(3, 1)];
		const workflow = file(nodes, linked('1>3'), withSubgraphs(outer, inner));
		const written = write(workflow, { '1:21:11': { width: 96, height: 32 } });
		expect(valuesOf(levelOf(written, 0), 21)).toEqual([96]);
		expect(valuesOf(levelOf(written, 1), 11)).toEqual([64, 32, 1, 0]);
	});

	it('have no file if two of their nodes need different values of one widget', () => {
		const workflow = file([host(1), host(2), preview(3, 1), preview(4, 2)], linked('1>3 2>4'), withSubgraphs(inner));
		const graph = applyInputs(toGraph(workflow), { '1:11': { height: 96 }, '2:11': { height: 32 } });
		expect(writeValues(workflow, graph, definitions, { now })).toBeUndefined();
	});
});

it('has no file for a graph with other nodes or links than the file', () => {
	const workflow = file([picture(1), picture(2), preview(3)], linked('1>3'));
	const { '2': removed, ...fewer } = toGraph(workflow);
	expect(removed).toBeDefined();
	expect(writeValues(workflow, fewer, definitions, { now })).toBeUndefined();
	const other = applyInputs(toGraph(workflow), { '3': { images: ['2', 0] } });
	expect(writeValues(workflow, other, definitions, { now })).toBeUndefined();
});
