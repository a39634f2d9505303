import sharp from 'sharp';
import { executedIds, node, run, solid } from './harness';
import { createGraphEngine, type ApiGraph } from '../../../sandbox/graphEngine';

async function fileOf(graph: ApiGraph) {
	const { result, outputs } = await run(graph);
	expect(result).toEqual({ status: 'succeeded' });
	expect(outputs).toHaveLength(1);
	return outputs[0] as (typeof outputs)[number];
}

test('a video is an mp4 that starts with its file type box', async () => {
	const file = await fileOf({
		image: solid(8, 8, 0),
		video: node('CreateVideo', { images: ['image', 0], fps: 8 }),
		save: node('SaveVideo', { video: ['video', 0], filename_prefix: 'video/ComfyUI', format: 'auto', codec: 'auto' }),
	});
	expect(file).toMatchObject({ nodeId: 'save', name: 'ComfyUI_00001_.mp4', kind: 'video', contentType: 'video/mp4', temporary: false });
	expect(file.bytes.toString('latin1', 4, 8)).toBe('ftyp');
});

test('audio is a wav of the wanted length', async () => {
	const file = await fileOf({
		tone: node('SandboxTone', { frequency: 440, duration: 0.5 }),
		save: node('SaveAudio', { audio: ['tone', 0], filename_prefix: 'a' }),
	});
	expect(file).toMatchObject({ name: 'a_00001_.wav', kind: 'audio', contentType: 'audio/wav' });
	expect(file.bytes.toString('latin1', 0, 4) + file.bytes.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
	expect(file.bytes.readUInt32LE(4)).toBe(file.bytes.length - 8);
	expect(file.bytes.length).toBe(44 + 8000);
	expect(Math.max(...new Int16Array(file.bytes.buffer.slice(file.bytes.byteOffset + 44, file.bytes.byteOffset + 200)))).toBeGreaterThan(
		10_000,
	);
});

test('silence is as long as asked', async () => {
	const silence = node('EmptyAudio', { duration: 1, sample_rate: 100, channels: 2 });
	const file = await fileOf({ silence, save: node('SaveAudio', { audio: ['silence', 0], filename_prefix: 'a' }) });
	expect(file.bytes.subarray(44)).toEqual(Buffer.alloc(400));
});

test("a latent is a safetensors file with ComfyUI's tensors", async () => {
	const latent = node('EmptyLatentImage', { width: 64, height: 32, batch_size: 2 });
	const file = await fileOf({ latent, save: node('SaveLatent', { samples: ['latent', 0], filename_prefix: 'latents/ComfyUI' }) });
	expect(file).toMatchObject({ name: 'ComfyUI_00001_.latent', kind: 'latent' });
	const headerBytes = Number(file.bytes.readBigUInt64LE(0));
	expect(JSON.parse(file.bytes.toString('utf8', 8, 8 + headerBytes))).toEqual({
		latent_tensor: { dtype: 'F32', shape: [2, 4, 4, 8], data_offsets: [0, 1024] },
		latent_format_version_0: { dtype: 'F32', shape: [0], data_offsets: [1024, 1024] },
	});
	expect(file.bytes.length).toBe(8 + headerBytes + 1024);
});

test('a mesh is a glb of kind file', async () => {
	const file = await fileOf({ mesh: node('SandboxMesh'), save: node('SaveGLB', { mesh: ['mesh', 0], filename_prefix: 'm' }) });
	expect(file).toMatchObject({ name: 'm_00001_.glb', kind: 'file', contentType: 'model/gltf-binary' });
	expect(file.bytes.toString('latin1', 0, 4)).toBe('glTF');
	expect(file.bytes.readUInt32LE(8)).toBe(file.bytes.length);
	const json = JSON.parse(file.bytes.toString('utf8', 20, 20 + file.bytes.readUInt32LE(12)));
	expect(json.accessors[0]).toMatchObject({ count: 3, min: [0, 0, 0], max: [1, 1, 0] });
});

test('text is saved as it is, and anything can be previewed as text', async () => {
	const text = await fileOf({ save: node('SaveText', { text: 'Grüße', filename_prefix: 't' }) });
	expect({ ...text, bytes: text.bytes.toString('utf8') }).toMatchObject({
		name: 't_00001_.txt',
		kind: 'text',
		contentType: 'text/plain',
		bytes: 'Grüße',
	});
	const number = await fileOf({ seven: node('PrimitiveInt', { value: 7 }), show: node('PreviewAny', { source: ['seven', 0] }) });
	expect({ ...number, bytes: number.bytes.toString('utf8') }).toMatchObject({ kind: 'text', temporary: true, bytes: '7' });
});

test('a preview is temporary', async () => {
	const file = await fileOf({ image: solid(3, 3, 0), show: node('PreviewImage', { images: ['image', 0] }) });
	expect(file).toMatchObject({ kind: 'image', temporary: true, name: 'ComfyUI_temp_00001_.png' });
	expect(await sharp(file.bytes).metadata()).toMatchObject({ format: 'png', width: 3, height: 3 });
});

test('a file can have any kind and any name', async () => {
	const file = await fileOf({ file: node('SandboxFile', { name: '../../evil.splat', kind: '3d', content_type: 'model/x', text: 'x' }) });
	expect(file).toMatchObject({ name: '../../evil.splat', kind: '3d', contentType: 'model/x' });
});

test("ComfyUI's own save nodes refuse a prefix outside the output folder", async () => {
	const { result } = await run({ save: node('SaveText', { text: '', filename_prefix: '../x' }) });
	expect(result).toMatchObject({
		status: 'failed',
		error: { node_id: 'save', message: 'Saving outside the output folder is not allowed' },
	});
});

test('a large file has its size, depends on its seed only, and no two chunks are alike', async () => {
	const large = async (seed: number) => (await fileOf({ file: node('SandboxLargeFile', { size_mib: 3, seed }) })).bytes;
	const [first, again, other] = [await large(1), await large(1), await large(2)];
	expect(first.length).toBe(3 * 1024 * 1024);
	expect(first.equals(again)).toBe(true);
	expect(first.equals(other)).toBe(false);
	expect(first.subarray(0, 1024 * 1024).equals(first.subarray(1024 * 1024, 2 * 1024 * 1024))).toBe(false);
});

test('a large file is never whole in memory', async () => {
	let largestChunk = 0;
	let bytesSeen = 0;
	const graph = { file: node('SandboxLargeFile', { size_mib: 64, seed: 3 }) };
	await createGraphEngine().run({
		graph,
		signal: new AbortController().signal,
		readInput: () => Promise.reject(new Error('no inputs')),
		writeOutput: async ({ bytes }) => {
			for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
				largestChunk = Math.max(largestChunk, chunk.length);
				bytesSeen += chunk.length;
			}
		},
		onEvent: () => undefined,
	});
	expect([largestChunk, bytesSeen]).toEqual([1024 * 1024, 64 * 1024 * 1024]);
});

test('an output node counts as executed', async () => {
	expect(executedIds(await run({ save: node('SaveText', { text: '', filename_prefix: 't' }) }))).toEqual(['save']);
});
