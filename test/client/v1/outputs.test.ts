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

const file = (filename: string, more = {}) => ({ filename, subfolder: '', type: 'output', ...more });
/** A value that a node reports, as the output that it becomes. */
const valueOutput = (name: string, text: string, value?: unknown) => ({
	node_id: '9',
	name: `9_${name}.txt`,
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
	...(value !== undefined && { value }),
});
const modelOutput = (filename: string, more = {}) => ({ name: filename, type: 'file', file_reference: file(filename, more) });

test.each<[results: Record<string, unknown>, outputs: unknown[]]>([
	// A text or a value that a node shows.
	[{ text: ['plain words'] }, [valueOutput('text', 'plain words')]],
	[{ text: 'täglich' }, [valueOutput('text', 'täglich')]],
	[{ text: ['one', ['two'], 3] }, [valueOutput('text', 'one'), valueOutput('text_2', 'two'), valueOutput('text_3', '3', 3)]],
	[{ text: ['Saved as chair.glb'] }, [valueOutput('text', 'Saved as chair.glb')]],
	[{ value: [42], sum: 7 }, [valueOutput('value', '42', 42), valueOutput('sum', '7', 7)]],
	[{ tags: ['fox', 'snow'], string: ['red'] }, [valueOutput('tags', 'fox\nsnow', ['fox', 'snow']), valueOutput('string', 'red')]],
	[{ text: [0.25, 'two'] }, [valueOutput('text', '0.25', 0.25), valueOutput('text_2', 'two')]],
	[{ boxes: [[1], [3, 4]] }, [valueOutput('boxes', '[[1],[3,4]]', [[1], [3, 4]])]],
	[{ stats: { mean: 0.5 } }, [valueOutput('stats', '{"mean":0.5}', { mean: 0.5 })]],
	[{ nothing: [null], empty: [], animated: [true] }, []],
	// A 3D model that a node shows, with the view of its viewer.
	[{ result: ['chair.glb', null, { position: 1 }] }, [modelOutput('chair.glb')]],
	[{ result: ['mesh/new/my chair.GLB', null] }, [modelOutput('my chair.GLB', { subfolder: 'mesh/new' })]],
	[{ result: ['mesh\\new\\chair.obj', null] }, [modelOutput('chair.obj', { subfolder: 'mesh/new' })]],
	[{ result: ['mesh/chair.glb [temp]', { position: 1 }, null] }, [modelOutput('chair.glb', { subfolder: 'mesh', type: 'temp' })]],
	[{ result: ['chair.glb [output]', null], other: ['table.glb [output]'] }, [modelOutput('chair.glb'), modelOutput('table.glb')]],
	...['/data/chair.glb', 'https://example.test/chair.glb', 'C:\\data\\chair.glb', 'chair.glb is ready'].map(
		(text): [Record<string, unknown>, unknown[]] => [{ result: [text] }, [valueOutput('result', text)]],
	),
	// A model that is listed under two keys is one output.
	[
		{ '3d': [file('chair.glb', { subfolder: 'mesh' }), file('table.glb')], result: ['mesh/chair.glb', null] },
		[modelOutput('chair.glb', { subfolder: 'mesh' }), modelOutput('table.glb')],
	],
	// An entry that is no file is a value, and a file without a list is a file.
	[
		{ images: [5, null, { filename: '' }], video: { filename: 'a' }, count: 3 },
		[{ name: 'a', type: 'video' }, { name: '9_images.txt', value: [5, { filename: '' }] }, valueOutput('count', '3', 3)],
	],
	// The metadata of files stay with them.
	[
		{ images: [file('a.mp4', { metadata: { fps: 24 } }), file('b.mp4', { metadata: { fps: 25 } })], animated: [true] },
		[
			{ name: 'a.mp4', metadata: { fps: 24 } },
			{ name: 'b.mp4', metadata: { fps: 25 } },
		],
	],
])('the results %j have their outputs', (results, outputs) => expect(decoded(results)).toMatchObject(outputs));

test('two files of the input folder are no outputs, under any key', () => {
	const images = ['cat.png', 'dog.png'].map((name) => file(name, { type: 'input' }));
	expect(decoded({ images, result: ['chair.glb [input]'] })).toEqual([]);
	expect(decoded({ images: [...images, file('cat.png')] })).toMatchObject([{ file_reference: file('cat.png') }]);
});

test('each frame of a long film becomes one output, in little time', () => {
	const frames = Array.from({ length: 50_000 }, (_, at) => file(`frame_${String(at).padStart(5, '0')}_.png`));
	const began = cpuMs();
	const outputs = decoded({ images: [...frames, ...frames.slice(0, 10)] });
	expect(outputs.map(({ name }) => name)).toEqual(frames.map(({ filename }) => filename));
	// A tenth of a second; what grows with the square would be many.
	expect(cpuMs() - began).toBeLessThan(3_000);
});
