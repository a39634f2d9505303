import { type ApiGraph, findInput } from '../../../../client';
import * as graphs from '../../../support/graphs';
import { faultOf } from '../support';
import { oneNode } from './support';

describe('findInput', () => {
	it.each([
		['by id', graphs.textToImage, '6.text', '6.text'],
		['by id with a dot in the input', graphs.dottedTitles, '2.resize_type.width', '2.resize_type.width'],
		['by an id of a subgraph', graphs.subgraphIds, '12:7:1.seed', '12:7:1.seed'],
		['by label', graphs.chineseTitles, '正向提示词 · text', '1.text'],
		['by title', graphs.chineseTitles, ' 正向提示词.text ', '1.text'],
		['by label without spaces', graphs.chineseTitles, '正向提示词·text', '1.text'],
		['by label with a space before', graphs.chineseTitles, '正向提示词 ·text', '1.text'],
		['by label with a space behind', graphs.chineseTitles, '正向提示词· text', '1.text'],
		['by label over two lines', graphs.chineseTitles, '正向提示词  ·\n\ntext', '1.text'],
		['by label with the id', graphs.textToImage, 'CLIP Text Encode (Prompt) (#7) · text', '7.text'],
		['by label with an id that is needed no more', graphs.chineseTitles, '采样器 (#3) · seed', '3.seed'],
		['by a title with dots', graphs.dottedTitles, 'v1.5 · prompt.text', '1.text'],
		['by id, though a title looks like one', graphs.dottedTitles, '1.text', '1.text'],
		['by class where there is no title', graphs.noTitles, 'EmptyLatentImage.width', '4.width'],
		['by class under a title', graphs.inpaint, 'LoadImageMask · channel', '2.channel'],
	])('finds an input %s', (_name, graph, name, found) => {
		expect(findInput(graph, name).name).toBe(found);
	});

	it('lists the ids of several inputs with the same name', () => {
		expect(faultOf(() => findInput(graphs.noTitles, 'CLIPTextEncode · text'))).toEqual({
			fault: 'ambiguous_input',
			name: 'CLIPTextEncode · text',
			inputs: ['1.text (CLIPTextEncode (#1) · text)', '2.text (CLIPTextEncode (#2) · text)'],
		});
	});

	it.each(['6.txt', 'Positiv.text', 'LoadCheckpoint.ckpt_name', '6', '', '.', 'constructor', '__proto__.text'])(
		'does not find %j',
		(name) => {
			const graph = { ...graphs.textToImage, '6': graphs.node('CLIPTextEncode', 'Positive', { text: 'x' }) };
			expect(faultOf(() => findInput(graph, name))).toMatchObject({ fault: 'no_such_input', name });
		},
	);

	it('lists the nearest names', () => {
		const nearest = (graph: ApiGraph, name: string) => (faultOf(() => findInput(graph, name)) as { near: string[] }).near;
		expect(nearest(graphs.textToImage, 'KSampler · sed')).toContain('3.seed (KSampler · seed)');
		expect(nearest(graphs.textToImage, '6.txt')).toContainEqual(expect.stringMatching(/^6\.text/));
		const long = 'x'.repeat(110);
		const graph = oneNode('A', { [`${long}y${'z'.repeat(99)}`]: 1, other: 1, seed: 1 });
		expect(nearest(graph, `1.${long}v${'u'.repeat(99)}`)).toHaveLength(1);
	});

	it('reports where the value of a linked input comes from, and which inputs can be changed there', () => {
		expect(faultOf(() => findInput(graphs.video, 'Positive · text'))).toEqual({
			fault: 'linked_input',
			name: 'Positive · text',
			from: '90',
			title: 'What Happens',
			inputs: ['90.value (What Happens · value)'],
		});
		expect(faultOf(() => findInput(graphs.allLinked, '1.vae'))).toMatchObject({ fault: 'linked_input', from: '2', inputs: [] });
		expect(faultOf(() => findInput(oneNode('A', { x: ['gone', 0] }), '1.x'))).toMatchObject({
			fault: 'linked_input',
			from: 'gone',
			title: undefined,
		});
	});
});
