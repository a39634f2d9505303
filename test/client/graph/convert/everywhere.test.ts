import { converted } from './support/converted';
import { picture, preview, reroute } from './support/nodes';
import { definitions } from './support/recordings';
import { file, into, type Json, linked, linkedInside, out, subgraph, withSubgraphs } from './support/sockets';

/** A node that sends what comes into it to others. */
const sender = (id: number, link: number, more: Json = {}): Json => ({
	id,
	type: 'Anything Everywhere',
	inputs: [into('anything', 'IMAGE', link)],
	outputs: [],
	...more,
});

const saved = (downstream: unknown, more: Json = {}): Json => ({
	downstream,
	downstream_slot: 0,
	upstream: '1',
	upstream_slot: 0,
	controller: 9,
	type: 'IMAGE',
	...more,
});

const convert = (nodes: Json[], links: unknown[], more: Json = {}) => converted(JSON.stringify(file(nodes, links, more)), definitions);
const withSaved = (...ue_links: Json[]): Json => ({ extra: { ue_links } });
const imagesIn = ({ output }: ReturnType<typeof convert>) =>
	Object.entries(output ?? {}).flatMap(([id, { inputs }]) => ('images' in inputs ? [[id, inputs.images]] : []));

describe('links of Use Everywhere', () => {
	const nodes = [picture(1), sender(9, 1), preview(3, null), preview(4, null)];
	const links = linked('1>9');

	it('are read from the file into two inputs of one node, in the order of the file, and each is reported', () => {
		const blend = { id: 4, type: 'ImageBlend', inputs: [into('image1', 'IMAGE', null), into('image2', 'IMAGE', null)] };
		const second = saved(4, { downstream_slot: 1, upstream: '2' });
		const { output, notes } = convert(
			[picture(1), picture(2), sender(9, 1), blend],
			links,
			withSaved(saved(4), second, saved(4, { upstream: '2' })),
		);
		expect(output?.['4']?.inputs).toMatchObject({ image1: ['1', 0], image2: ['2', 0] });
		expect(notes).toMatchObject(['1', '2'].map((id) => ({ note: 'link_by_extension', nodeId: '4', input: `image${id}`, value: [id, 0] })));
	});

	it('are ignored if they are older than the graph and name another type, or what is gone', () => {
		const older = [
			saved(4, { type: 'MASK' }),
			saved(4, { downstream_slot: 7 }),
			saved(77),
			saved(4, { controller: 77 }),
			saved(4, { upstream: null }),
			{},
		];
		expect(imagesIn(convert(nodes, links, withSaved(saved(3), ...older)))).toEqual([['3', ['1', 0]]]);
	});

	it('never replace a link that an input has', () => {
		const others = [picture(2), { ...preview(3, 2) }, preview(4, 3)];
		const result = convert([picture(1), sender(9, 1), ...others], linked('1>9 2>3 2>4'), withSaved(saved(3), saved(4)));
		expect(imagesIn(result)).toEqual([
			['3', ['2', 0]],
			['4', ['2', 0]],
		]);
	});

	it('of a muted controller do not count, and neither do muted nodes that could have one', () => {
		expect(imagesIn(convert([picture(1), sender(9, 1, { mode: 2 }), ...nodes.slice(2)], links, withSaved(saved(3), saved(4))))).toEqual([]);
		const muted = nodes.map((node) => (node.type === 'PreviewImage' ? { ...node, mode: 2 } : node));
		expect(convert([...muted, preview(5, 2)], [...links, ...linked('1>5', 'IMAGE', 2)]).refusals).toEqual([]);
	});

	it('are read inside of subgraphs, up to their outputs', () => {
		const inside = subgraph('a', [picture(11), sender(9, 1), preview(12, null), reroute(13, 2)], {
			links: linkedInside('11>9 11>13'),
			outputs: [
				{ name: 'IMAGE', type: 'IMAGE', linkIds: [] },
				{ name: 'second', type: 'IMAGE', linkIds: [] },
			],
			...withSaved(saved(12, { upstream: 11 }), ...[0, 1].map((downstream_slot) => saved(-20, { upstream: 11, downstream_slot }))),
		});
		const host = { id: 5, type: 'a', inputs: [], outputs: [out('IMAGE', 1), out('IMAGE', 2)] };
		const result = convert([host, preview(6, 1), preview(7, 2)], linked('5>6 5.1>7'), withSubgraphs(inside));
		expect(imagesIn(result).sort()).toEqual([
			['5:12', ['5:11', 0]],
			['6', ['5:11', 0]],
			['7', ['5:11', 0]],
		]);
	});

	const refusedNodes = (...parts: Parameters<typeof convert>) => convert(...parts).refusals.map(({ refusal, nodeId }) => [refusal, nodeId]);

	it('are needed only if an input without a link could have one', () => {
		expect(refusedNodes(nodes, links)).toEqual([['hidden_links', '9']]);
		expect(refusedNodes([picture(1), { ...sender(9, 1), inputs: [into('anything', 'IMAGE', null)] }, preview(3, null)], [])).toEqual([]);
		const full = [picture(1), sender(9, 1), sender(10, 2), preview(3, 3), preview(4, 4)];
		expect(refusedNodes(full, linked('1>9 1>10 1>3 1>4'))).toEqual([]);
		const seed = (type: string, more: Json): Json[] => [
			{ id: 8, type, outputs: [out('INT')], widgets_values: [5, 'fixed'], ...more },
			preview(3, null),
		];
		const primitive = { ...definitions, 'Seed Everywhere': definitions.PrimitiveInt } as typeof definitions;
		const refusalsIn = (extra: Json[]) => converted(JSON.stringify(file([...seed('Seed Everywhere', {}), ...extra])), primitive).refusals;
		expect(refusalsIn([])).toEqual([]);
		const sampler = {
			id: 6,
			type: 'KSampler',
			inputs: [into('seed', 'INT', null, 'seed')],
			widgets_values: [1, 'fixed', 20, 8, 'euler', 'normal', 1],
		};
		expect(refusalsIn([sampler])).toMatchObject([{ refusal: 'hidden_links', nodeId: '8' }]);
	});

	it.each<[what: string, properties: Json, refused: boolean]>([
		['rejects all', { rejects_ue_links: true }, false],
		['rejects this input', { ue_properties: { version: '7.8', input_ue_unconnectable: { images: true } } }, false],
		['says nothing', { ue_properties: { version: '7.8' } }, true],
	])('are not needed for a node that %s', (_, properties, refused) => {
		const targets = [3, 4].map((id) => ({ ...preview(id, null), properties }));
		expect(refusedNodes([picture(1), sender(9, 1), ...targets], links)).toEqual(refused ? [['hidden_links', '9']] : []);
	});
});
