import { type ApiGraph, findInput } from '../../../../client';
import { chineseTitles, inpaint, linkedThrough, node, noTitles, textToImage } from '../../../support/graphs';
import { faultOf } from '../support';
import { exported, oneNode } from './support';

/** Two instances of one subgraph, and a third one. */
const instances = exported('subgraph/instances');

const dottedTitles: ApiGraph = {
	'1': node('CLIPTextEncode', 'v1.5 · prompt', { text: 'x', clip: ['9', 1] }),
	'2': node('ResizeImageMaskNode', 'Resize', { resize_type: 'scale dimensions', 'resize_type.width': 512 }),
	'3': node('Note', '1.text', { text: 'a title that looks like an id' }),
};

describe('findInput', () => {
	it.each([
		['by id', textToImage, '6.text', '6.text'],
		['by id with a dot in the input', dottedTitles, '2.resize_type.width', '2.resize_type.width'],
		['by the id of the second subgraph', instances, '13:20.text', '13:20.text'],
		['by title', chineseTitles, ' 正向提示词.text ', '1.text'],
		['by label without spaces', chineseTitles, '正向提示词·text', '1.text'],
		['by label over two lines', chineseTitles, '反向提示词  ·\n\ntext', '2.text'],
		['by label with the id', textToImage, 'CLIP Text Encode (Prompt) (#7) · text', '7.text'],
		['by label with the id in a subgraph', instances, 'What I do not want (#13:20) · text', '13:20.text'],
		['by label with an id that is needed no more', chineseTitles, '采样器 (#3) · seed', '3.seed'],
		['by a title with dots', dottedTitles, 'v1.5 · prompt.text', '1.text'],
		['by id, though a title looks like one', dottedTitles, '1.text', '1.text'],
		['by class where there is no title', noTitles, 'EmptyLatentImage.width', '4.width'],
		['by class under a title', inpaint, 'LoadImageMask · channel', '2.channel'],
	])('finds an input %s', (_name, graph, name, found) => {
		expect(findInput(graph, name).name).toBe(found);
	});

	it('lists the ids of several inputs with the same name', () => {
		expect(faultOf(() => findInput(noTitles, 'CLIPTextEncode · text'))).toEqual({
			fault: 'ambiguous_input',
			name: 'CLIPTextEncode · text',
			inputs: ['1.text (CLIPTextEncode (#1) · text)', '2.text (CLIPTextEncode (#2) · text)'],
		});
	});

	it.each(['6.txt', 'Positiv.text', 'LoadCheckpoint.ckpt_name', '6', '', '.', 'constructor', '__proto__.text'])(
		'does not find %j',
		(name) => {
			const graph = { ...textToImage, '6': node('CLIPTextEncode', 'Positive', { text: 'x' }) };
			expect(faultOf(() => findInput(graph, name))).toMatchObject({ fault: 'no_such_input', name });
		},
	);

	it('lists the nearest names', () => {
		const nearest = (graph: ApiGraph, name: string) => (faultOf(() => findInput(graph, name)) as { near: string[] }).near;
		expect(nearest(textToImage, 'KSampler · sed')).toContain('3.seed (KSampler · seed)');
		expect(nearest(textToImage, '6.txt')).toContainEqual(expect.stringMatching(/^6\.text/));
		const long = 'x'.repeat(110);
		const graph = oneNode('A', { [`${long}y${'z'.repeat(99)}`]: 1, other: 1, seed: 1 });
		expect(nearest(graph, `1.${long}v${'u'.repeat(99)}`)).toHaveLength(1);
	});

	it('reports where the value of a linked input comes from, and which inputs can be changed there', () => {
		expect(faultOf(() => findInput(linkedThrough, 'Negative · text'))).toEqual({
			fault: 'linked_input',
			name: 'Negative · text',
			from: '11',
			title: 'Not This',
			inputs: ['11.value (Not This · value)'],
		});
		expect(faultOf(() => findInput(linkedThrough, '14.width'))).toMatchObject({ from: '13', inputs: ['13.value (Width · value)'] });
		expect(faultOf(() => findInput(oneNode('A', { x: ['gone', 0] }), '1.x'))).toMatchObject({
			fault: 'linked_input',
			from: 'gone',
			title: undefined,
		});
	});
});
