import { assetMasks, type UploadOptions, waitForJob } from '../../../client';
import type { EngineConnection } from '../../../client/connection';
import { chunksOf, collect, failureOf, patterned } from '../support/bytes';
import { imageGraph } from '../support/graphs';
import { picture, pngSource } from '../support/pictures';
import { useEngine } from './support/engine';

const engine = useEngine();
const VIEW = 'GET /api/view';
const upload = async ({ assets }: EngineConnection, bytes: Uint8Array, options: UploadOptions) =>
	(await assets.upload(pngSource(bytes), options)).asset;
const bytesOf = async ({ assets }: EngineConnection, url: string) => await collect((await assets.download({ url })).bytes);

describe('POST /upload/image', () => {
	test('a folder in the path is the subfolder; the reply’s name counts, and a loader takes the reference', async () => {
		const connection = engine.connect();
		const bytes = await picture(0x123456);
		const asset = await upload(connection, bytes, { filePath: 'pets/cats/tom.png' });
		expect(asset).toMatchObject({
			name: 'tom.png',
			subfolder: 'pets/cats',
			type: 'input',
			size_bytes: bytes.length,
			content_type: 'image/png',
			id: null,
		});
		expect(connection.assets.reference(asset)).toBe('pets/cats/tom.png');
		expect(await bytesOf(connection, asset.url)).toEqual(bytes);
		const { job_id } = await connection.jobs.submit({ graph: imageGraph(connection.assets.reference(asset)) });
		await expect(waitForJob(connection.jobs, job_id, { mode: 'polling', maxWaitMs: 60_000 })).resolves.toMatchObject({
			job: { status: 'succeeded', outputs: [{}] },
		});
	});

	test('other bytes under the same name get another one; the same bytes do not; overwrite replaces them', async () => {
		const connection = engine.connect();
		const [red, blue] = [await picture(0xff0000), await picture(0x0000ff)];
		const names = [];
		for (const [bytes, overwrite] of [
			[red, undefined],
			[blue, false],
			[red, undefined],
			[blue, true],
		] as const)
			names.push(await upload(connection, bytes, { filePath: 'same.png', overwrite }));
		expect(names.map(({ name }) => name)).toEqual(['same.png', 'same (1).png', 'same.png', 'same.png']);
		expect(await bytesOf(connection, String(names[3]?.url))).toEqual(blue);
	});

	test.each(['notes.txt', 'model.safetensors', 'über größe 100%.bin', 'film.mp4'])('any file: %s', async (filePath) => {
		const connection = engine.connect();
		const bytes = patterned(70_000);
		const { asset, bytesSent } = await connection.assets.upload(
			{ open: () => chunksOf(bytes.subarray(0, 66_000), bytes.subarray(66_000)), contentType: 'application/octet-stream' },
			{ filePath },
		);
		expect([asset.name, bytesSent]).toEqual([filePath, bytes.length]);
		expect(await bytesOf(connection, asset.url)).toEqual(bytes);
	});

	test('a temporary file is marked in its reference', async () => {
		const connection = engine.connect();
		const asset = await upload(connection, await picture(0x00ff00), { filePath: 'a/t.png', use: 'temp' });
		expect(asset.type).toBe('temp');
		expect(connection.assets.reference(asset)).toBe('a/t.png [temp]');
		await expect(connection.jobs.submit({ graph: imageGraph(connection.assets.reference(asset)) })).resolves.toMatchObject({
			status: 'queued',
		});
	});

	test.each(['C:\\pictures\\tom.png', './C:/pictures//tom.png'])('detours in %s are left out', async (filePath) => {
		expect(await upload(engine.connect(), await picture(0x654321), { filePath })).toMatchObject({
			name: 'tom.png',
			subfolder: 'C:/pictures',
		});
	});

	test('one that is too large, and a place outside', async () => {
		engine.sandbox.configure({ engineUploadLimitBytes: 100 });
		const connection = engine.connect();
		expect(await failureOf(upload(connection, patterned(1_000), { filePath: 'big.png' }))).toMatchObject({
			code: 'payload_too_large',
			status: 413,
		});
		expect(await failureOf(upload(connection, patterned(10), { filePath: '../out.png' }))).toMatchObject({
			code: 'invalid_request',
			status: 400,
		});
		engine.sandbox.configure({ engineUploadLimitBytes: 100 * 1024 * 1024 });
	});
});

test('POST /upload/mask: the original is named, and the result is a loadable copy', async () => {
	const connection = engine.connect();
	const mask = await picture(0x222222);
	await upload(connection, await picture(0x111111), { filePath: 'faces/face.png' });
	const { asset } = await assetMasks(connection).upload(pngSource(mask), {
		filePath: 'masks/mask.png',
		original: { filename: 'face.png', subfolder: 'faces', type: 'input' },
	});
	expect(asset).toMatchObject({ name: 'mask.png', subfolder: 'masks', type: 'input' });
	expect(await bytesOf(connection, asset.url)).not.toEqual(mask);
	await expect(connection.jobs.submit({ graph: imageGraph(connection.assets.reference(asset)) })).resolves.toMatchObject({
		status: 'queued',
	});
});

test.each([
	['a folder of its own', { filename: 'face.png', subfolder: 'faces', type: 'input' }],
	['its folder in its name, as loaders take it', { filename: 'faces/face.png', subfolder: '', type: 'input' }],
	['its type in its name', { filename: 'faces/face.png [input]', subfolder: '', type: 'temp' }],
])('a mask finds its original by %s', async (_, original) => {
	const connection = engine.connect();
	await upload(connection, await picture(0x111111), { filePath: 'faces/face.png' });
	const { asset } = await assetMasks(connection).upload(pngSource(await picture(0x222222)), { filePath: 'found.png', original });
	expect((await bytesOf(connection, asset.url)).length).toBeGreaterThan(0);
});

test('a mask without its original is not sent: an engine would answer 200 and store nothing', async () => {
	const original = { filename: 'nobody.png', subfolder: 'faces', type: 'input' };
	const refused = failureOf(assetMasks(engine.connect()).upload(pngSource(await picture(0x222222)), { filePath: 'mask.png', original }));
	expect(await refused).toMatchObject({ interface: 'engine', code: 'original_not_found', message: 'faces/nobody.png' });
	expect(engine.count('POST /api/upload/mask')).toBe(0);
});

describe('GET /view', () => {
	test('a file that is not there, which has no words: not_found', async () => {
		const { assets } = engine.connect();
		const url = `${engine.sandbox.urls.engine}/api/view?filename=none.png&subfolder=&type=output`;
		expect(await failureOf(assets.download({ url }))).toMatchObject({ interface: 'engine', code: 'not_found', status: 404 });
		expect(engine.count(VIEW)).toBe(1);
	});
});
