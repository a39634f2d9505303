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
	['images', 'a.unknown', 'image', 'application/octet-stream'],
	['images', 'a.JPG', 'image', 'image/jpeg'],
	['images', 'a.mp4', 'video', 'video/mp4'],
	['video', 'a.unknown', 'video', 'application/octet-stream'],
	['videos', 'a.unknown', 'video', 'application/octet-stream'],
	['gifs', 'a.gif', 'image', 'image/gif'],
	['gifs', 'a.mp4', 'video', 'video/mp4'],
	['gifs', 'a.unknown', 'video', 'application/octet-stream'],
	['audio', 'a.unknown', 'audio', 'application/octet-stream'],
	['audio', 'a.wav', 'audio', 'audio/wav'],
	['text', 'a.txt', 'text', 'text/plain'],
	['text', 'a', 'text', 'application/octet-stream'],
	['latents', 'a.latent', 'latent', 'application/octet-stream'],
	['files', 'a.json', 'file', 'application/json'],
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

test('an output without subfolder and type gets the defaults', () => {
	expect(decoded({ images: [{ filename: 'a.png' }] })[0]?.file_reference).toEqual({ filename: 'a.png', subfolder: '', type: 'output' });
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
])('the result %s with the text %s is no output', (key, text) => {
	expect(decoded({ [key]: [text] })).toEqual([]);
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
		[textOutput('9_text.txt', 'one'), textOutput('9_text_2.txt', 'two')],
	],
	[['Saved as chair.glb'], [textOutput('9_text.txt', 'Saved as chair.glb')]],
])('D5: a text that a node shows is an output of type text: %j', (shown, outputs) => {
	expect(decoded({ text: shown })).toEqual(outputs);
});

test('D12: a model that is listed under two keys is one output', () => {
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

test('an entry that is no file is left out', () => {
	expect(
		decoded({ animated: [true], images: [5, null, {}, { filename: '' }, { filename: 7 }], video: { filename: 'a' }, count: 3 }),
	).toEqual([]);
});
