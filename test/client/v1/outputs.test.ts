import type { JobOutput } from '../../../client';
import { outputDecoder } from '../../../client/comfyui/outputs';
import { cpuMs } from '../../support/cpuTime';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const decode = outputDecoder(
	({ filename }) => `https://example.test/${filename}`,
	({ filename }) => `reference to ${filename}`,
);
const decoded = (results: Record<string, unknown>): JobOutput[] => decode('9', results, 'job-1');

test.each<[key: string, name: string, type: string, contentType: string]>([
	['images', 'a.png', 'image', 'image/png'],
	['images', 'a.JPG', 'image', 'image/jpeg'],
	['images', 'a.mp4', 'video', 'video/mp4'],
	['videos', 'a.unknown', 'video', 'application/octet-stream'],
	['gifs', 'a.unknown', 'video', 'application/octet-stream'],
	['audio', 'a.unknown', 'audio', 'application/octet-stream'],
	['text', 'a.txt', 'text', 'text/plain'],
	['latents', 'a.latent', 'latent', 'application/octet-stream'],
	['files', 'a.png', 'image', 'image/png'],
	['3d', 'a.glb', 'file', 'model/gltf-binary'],
	['a_key_of_tomorrow', 'a.constructor', 'file', 'application/octet-stream'],
	['toString', 'a', 'file', 'application/octet-stream'],
])('an output under %s with the name %s has the type %s and the content type %s', (key, name, type, contentType) => {
	expect(decoded({ [key]: [{ filename: name, subfolder: 's', type: 'temp', frame_rate: 8 }] })).toEqual([
		{
			node_id: '9',
			name,
			type,
			content_type: contentType,
			size_bytes: 0,
			id: null,
			hash: null,
			url: `https://example.test/${name}`,
			url_expires_at: null,
			job_id: 'job-1',
			file_reference: { filename: name, subfolder: 's', type: 'temp' },
			reference: `reference to ${name}`,
			frame_rate: 8,
		},
	]);
});

test.each([
	['chair.glb', '', 'chair.glb'],
	['mesh/new/my chair.GLB', 'mesh/new', 'my chair.GLB'],
	['mesh\\new\\chair.obj', 'mesh/new', 'chair.obj'],
])('a 3D model that a node shows is an output: %s', (text, subfolder, filename) => {
	expect(decoded({ result: [text, null, { position: 1 }] })).toMatchObject([
		{ name: filename, type: 'file', file_reference: { filename, subfolder, type: 'output' } },
	]);
});

test.each([
	['result', '/data/chair.glb'],
	['result', 'https://example.test/chair.glb'],
	['result', 'C:\\data\\chair.glb'],
	['result', 'chair.glb is ready'],
])('the result %s with the text %s is a text', (key, text) => {
	expect(decoded({ [key]: [text] })).toMatchObject([{ name: '9_result.txt', type: 'text', url: null, text }]);
});

test('a 3D model whose path ends with its folder is the file in that folder, and the view of the viewer is no output', () => {
	expect(decoded({ result: ['mesh/chair.glb [temp]', { position: 1 }, null] })).toMatchObject([
		{ name: 'chair.glb', file_reference: { filename: 'chair.glb', subfolder: 'mesh', type: 'temp' } },
	]);
	expect(decoded({ result: ['chair.glb [output]', null], other: ['table.glb [output]'] })).toHaveLength(2);
});

test('two files of the input folder are no outputs, under any key', () => {
	const input = { filename: 'cat.png', subfolder: '', type: 'input' };
	expect(decoded({ images: [input, { ...input, filename: 'dog.png' }], result: ['chair.glb [input]'] })).toEqual([]);
	expect(decoded({ images: [input, { ...input, type: 'output' }] })).toHaveLength(1);
});

test('the metadata of two files stay with them, and the mark of animated images is no output', () => {
	const metadata = { kind: 'video', width: 8, height: 8, fps: 24 };
	const files = ['a.mp4', 'b.mp4'].map((filename) => ({ filename, subfolder: '', type: 'output', metadata }));
	expect(decoded({ images: files, animated: [true] })).toMatchObject([{ metadata }, { metadata }]);
	expect(decoded({ images: files, animated: [true] })).toHaveLength(2);
});

test.each<[results: Record<string, unknown>, outputs: unknown[]]>([
	[
		{ value: [42], sum: 7 },
		[
			{ name: '9_value.txt', text: '42', value: 42 },
			{ name: '9_sum.txt', text: '7', value: 7 },
		],
	],
	[
		{ tags: ['fox', 'snow'], string: ['red'] },
		[
			{ name: '9_tags.txt', text: 'fox\nsnow', value: ['fox', 'snow'] },
			{ name: '9_string.txt', text: 'red' },
		],
	],
	[
		{ text: [0.25, 'two'] },
		[
			{ name: '9_text.txt', text: '0.25', value: 0.25 },
			{ name: '9_text_2.txt', text: 'two' },
		],
	],
	[
		{
			boxes: [
				[1, 2],
				[3, 4],
			],
		},
		[
			{
				text: '[[1,2],[3,4]]',
				value: [
					[1, 2],
					[3, 4],
				],
			},
		],
	],
	[{ stats: { mean: 0.5 } }, [{ text: '{"mean":0.5}', value: { mean: 0.5 } }]],
	[{ nothing: [null], empty: [] }, []],
])('values that a node reports are outputs with a text and the value: %j', (results, outputs) => {
	expect(decoded(results)).toMatchObject(outputs);
	expect(decoded(results).map(({ type, node_id, url }) => ({ type, node_id, url }))).toEqual(
		outputs.map(() => ({ type: 'text', node_id: '9', url: null })),
	);
});

const textOutput = (name: string, text: string) => ({
	node_id: '9',
	name,
	type: 'text',
	content_type: 'text/plain',
	size_bytes: Buffer.byteLength(text),
	id: null,
	hash: null,
	url: null,
	url_expires_at: null,
	job_id: 'job-1',
	reference: null,
	text,
});

test.each<[shown: unknown, outputs: unknown[]]>([
	[['plain words'], [textOutput('9_text.txt', 'plain words')]],
	['täglich', [textOutput('9_text.txt', 'täglich')]],
	[
		['one', ['two'], 3],
		[textOutput('9_text.txt', 'one'), textOutput('9_text_2.txt', 'two'), { ...textOutput('9_text_3.txt', '3'), value: 3 }],
	],
	[['Saved as chair.glb'], [textOutput('9_text.txt', 'Saved as chair.glb')]],
])('a text that a node shows is an output of type text: %j', (shown, outputs) => {
	expect(decoded({ text: shown })).toEqual(outputs);
});

test('a model that is listed under two keys is one output', () => {
	const file = { filename: 'chair.glb', subfolder: 'mesh', type: 'output' };
	expect(decoded({ '3d': [file], result: ['mesh/chair.glb', null] })).toMatchObject([{ name: 'chair.glb', file_reference: file }]);
	expect(decoded({ '3d': [file, { ...file, filename: 'table.glb' }] })).toHaveLength(2);
});

test('each frame of a long film becomes one output, in little time', () => {
	const frames = Array.from({ length: 50_000 }, (_, at) => ({
		filename: `frame_${String(at).padStart(5, '0')}_.png`,
		subfolder: '',
		type: 'output',
	}));
	const began = cpuMs();
	const outputs = decoded({ images: [...frames, ...frames.slice(0, 10)] });
	expect(outputs.map(({ name }) => name)).toEqual(frames.map(({ filename }) => filename));
	// A tenth of a second; what grows with the square would be many.
	expect(cpuMs() - began).toBeLessThan(3_000);
});

test('an entry that is no file is a value, and a file without a list is a file', () => {
	const results = { animated: [true], images: [5, null, { filename: '' }], video: { filename: 'a' }, count: 3 };
	expect(decoded(results)).toMatchObject([
		{ name: 'a', type: 'video' },
		{ name: '9_images.txt', value: [5, { filename: '' }] },
		{ name: '9_count.txt', value: 3 },
	]);
});
