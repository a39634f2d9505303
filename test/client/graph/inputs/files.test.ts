import { type ApiGraph, listFileInputs, listOfferedFiles, takesNoFile } from '../../../../client';
import { inpaint, node } from '../../../support/graphs';
import { defining, oneNode } from './support';
import { definitions } from '../convert/support/recordings';

describe('files', () => {
	const kindsOf = (graph: ApiGraph, known?: typeof definitions) =>
		Object.fromEntries(listFileInputs(graph, known).map(({ name, limits }) => [name, limits?.fileKind]));

	it('are known by the flags of definitions', () => {
		const flags = {
			clip: 'video_upload',
			picture: 'animated_image_upload',
			thing: 'file_upload',
			folder: 'upload',
			paint_mask: 'image_upload',
		};
		const required = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, ['COMBO', { options: [], [flag]: true }]]));
		const kinds = { '1.clip': 'video', '1.picture': 'image', '1.thing': 'any', '1.folder': 'any', '1.paint_mask': 'mask' };
		const graph = oneNode('A', Object.fromEntries(Object.keys(flags).map((name) => [name, 'x'])));
		expect(kindsOf(graph, { A: { input: { required } } })).toEqual(kinds);
		expect(kindsOf(graph)).toEqual({});
	});

	it('are known by their class, by a file name as their value, or by an asset reference', () => {
		expect(kindsOf(inpaint)).toEqual({ '1.image': 'image', '2.image': 'mask' });
		expect(kindsOf(inpaint, definitions)).toEqual({ '1.image': 'image', '2.image': 'mask' });
		const graph = {
			'1': node('VHS_LoadVideo', undefined, { video: '' }),
			'2': node('Theirs', undefined, {
				what: 'song.flac [input]',
				where: 'https://a.example/b.png',
				model: 'a.safetensors',
				ref: { __type: 'core/ASSET', info: {} },
			}),
			'3': node('SaveThing', undefined, { file: 'out.png' }),
		};
		expect(kindsOf(graph)).toEqual({ '1.video': 'video', '2.what': 'audio', '2.ref': 'any' });
	});

	it.each([
		['image', 'LoadImageOutput.image'],
		['audio', 'LoadAudio.audio VHS_LoadAudioUpload.audio'],
		['video', 'LoadVideo.file VHS_LoadVideoFFmpeg.video'],
		['any', 'Load3D.model_file Load3DAnimation.model_file Load3DAdvanced.model_file'],
		['any', 'LoadLatent.latent GeminiInputFiles.file OpenAIInputFiles.file'],
	])('of the kind %s are taken by %s', (kind, inputs) => {
		for (const [className = '', name = ''] of inputs.split(' ').map((one) => one.split('.')))
			expect(kindsOf(oneNode(className, { [name]: '' }))).toEqual({ [`1.${name}`]: kind });
	});

	it.each([
		['image', ['a.png', 'a.JPG', 'a.jpeg', 'a.tif', 'a.tiff', 'a.png [temp]', `${'a'.repeat(251)}.png`]],
		['audio', ['a.flac', 'a.wav [output]']],
		['video', ['a.mp4', 'a.webm']],
		['any', ['a.glb', 'a.stl']],
		[undefined, ['a.png.zip', 'a.flac.zip', 'a.mp4.zip', 'a.glb.zip', `${'a'.repeat(252)}.png`, 'a: b.png', '%date%.png', 'a\nb.png']],
	])('of the kind %s are known by the endings of names', (kind, values) => {
		for (const value of values) expect(Object.values(kindsOf(oneNode('A', { x: value })))).toEqual(kind === undefined ? [] : [kind]);
	});

	it.each<[takesNone: boolean, className: string, input: string, definition: unknown[] | undefined]>([
		[true, 'A', 'prefix', undefined],
		[true, 'A', 'name_suffix', undefined],
		[false, 'A', 'prefixes', undefined],
		[true, 'SaveThing', 'folder', undefined],
		[false, 'SaveThing', 'thing', undefined],
		[false, 'A', 'folder', undefined],
		[true, 'A', 'x', ['STRING', { multiline: true }]],
		[false, 'A', 'x', ['STRING', {}]],
		[false, 'A', 'x', ['STRING', { multiline: true, image_upload: true }]],
		[true, 'A', 'x', [['model.safetensors', 'other']]],
		[false, 'A', 'x', [['none', 'a.png']]],
		[false, 'A', 'x', [[]]],
		[false, 'A', 'x', ['IMAGE', { options: ['a'] }]],
	])('none (%s) can go to %s.%s with the definition %j', (takesNone, className, input, entry) => {
		const known = entry === undefined ? {} : defining(className, input, entry);
		expect(takesNoFile(node(className, undefined, {}), input, known)).toBe(takesNone);
	});

	it.each<[offered: string[] | undefined, definition: unknown[] | undefined]>([
		[['a.png', '7'], [['a.png', 7]]],
		[undefined, ['STRING', { options: ['a.png'] }]],
		[undefined, undefined],
	])('that are offered are %p with the definition %j', (offered, entry) => {
		const known = entry === undefined ? {} : defining('A', 'x', entry);
		expect(listOfferedFiles(known, node('A', undefined, {}), 'x')).toEqual(offered);
	});
});
