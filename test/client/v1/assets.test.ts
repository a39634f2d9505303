import { assetMasks, assetRecords, IntegrityError, type Asset } from '../../../client';
import { collect, failureOf } from '../support/bytes';
import { imageGraph } from '../support/graphs';
import { picture, pngSource } from '../support/pictures';
import { useSandbox } from '../support/sandbox';
import { json, serve, type SeenRequest } from '../support/server';
import { finished } from '../support/v1';

const harness = useSandbox();
const IMAGE = 'POST /api/upload/image';

let colors = 0x500000;
const newPicture = () => picture(++colors);
const count = (on: string) => harness.sandbox.requests(on).length;

/** The parts of one form, in order; the file's bytes as text. */
function partsOf({ headers, body }: SeenRequest): Array<[name: string, value: string]> {
	const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
	return body
		.toString('latin1')
		.split(`--${boundary}`)
		.slice(1, -1)
		.map((part) => [/name="([^"]*)"/.exec(part)?.[1] ?? '', part.slice(part.indexOf('\r\n\r\n') + 4, -2)]);
}

async function formOf(send: (connection: ReturnType<typeof harness.connectV1>) => Promise<unknown>): Promise<Array<[string, string]>> {
	const server = await serve(json(200, { name: 'stored.png', subfolder: '' }));
	await send(harness.connectV1({ baseUrl: server.origin })).finally(() => server.close());
	return partsOf(server.seen[0] as SeenRequest);
}

const text = () => pngSource(Buffer.from('bytes'));
const original = { filename: 'photo.png', subfolder: '', type: 'input' };

describe('upload', () => {
	test('an image: its record, and a graph that uses it', async () => {
		const bytes = await newPicture();
		const connection = harness.connectV1();
		const { asset, bytesSent } = await connection.assets.upload(pngSource(bytes), { filePath: 'inputs/cat ü.png' });
		const name = String(asset.name);
		expect(bytesSent).toBe(bytes.length);
		expect(asset).toMatchObject({
			id: null,
			hash: null,
			size_bytes: bytes.length,
			content_type: 'image/png',
			created_at: null,
			url: `${harness.sandbox.urls.hosted}/api/view?filename=${name}&subfolder=&type=input`,
			url_expires_at: null,
			file_path: null,
			job_id: null,
			name,
			subfolder: '',
			type: 'input',
		});
		expect(connection.assets.reference(asset)).toBe(name);
		expect(await collect((await connection.assets.download({ url: asset.url })).bytes)).toEqual(bytes);
		await expect(finished(connection, imageGraph(connection.assets.reference(asset)))).resolves.toMatchObject({ status: 'succeeded' });
	});

	test('the form: fields first, then the file by its own name', async () => {
		await expect(formOf(({ assets }) => assets.upload(text(), { filePath: 'a/b.png' }))).resolves.toEqual([
			['type', 'input'],
			['image', 'bytes'],
		]);
		await expect(formOf(({ assets }) => assets.upload(text(), { filePath: 'b.png', use: 'temp', overwrite: true }))).resolves.toEqual([
			['type', 'temp'],
			['overwrite', 'true'],
			['image', 'bytes'],
		]);
		await expect(formOf(({ assets }) => assets.upload(text(), { filePath: 'b.png', overwrite: false }))).resolves.toContainEqual([
			'overwrite',
			'false',
		]);
	});

	test('fields that are new to us are kept, and the answer’s own place counts', async () => {
		harness.sandbox.inject({ on: IMAGE, answer: { status: 200, json: { name: 'a.png', subfolder: 'x', type: 'temp', etag: '1' } } });
		const { asset } = await harness.connectV1().assets.upload(pngSource(await newPicture()), { filePath: 'a.png' });
		expect(asset).toMatchObject({
			name: 'a.png',
			subfolder: 'x',
			type: 'temp',
			etag: '1',
			url: expect.stringContaining('subfolder=x&type=temp'),
		});
	});

	test('the same file twice has one name, and skipping what is stored is no option', async () => {
		const bytes = await newPicture();
		const { assets } = harness.connectV1();
		const first = await assets.upload(pngSource(bytes), { filePath: 'a.png', skipIfStored: true });
		const second = await assets.upload(pngSource(bytes), { filePath: 'b.png', skipIfStored: true });
		expect([second.asset.name, second.bytesSent]).toEqual([first.asset.name, bytes.length]);
	});

	test('what is no picture is refused, once', async () => {
		const failure = await failureOf(harness.connectV1().assets.upload(pngSource(Buffer.from('text')), { filePath: 'x.txt' }));
		expect(failure).toMatchObject({ interface: 'v1', code: 'invalid_request', status: 400, message: 'The file is not an image' });
		expect(count(IMAGE)).toBe(1);
	});

	test.each([-1, 1])('a file that is %d byte off its size is no upload', async (offset) => {
		const server = await serve(json(200, { name: 'x' }));
		const source = pngSource(Buffer.from('12345'), { sizeBytes: 5 + offset });
		expect(await failureOf(harness.connectV1({ baseUrl: server.origin }).assets.upload(source, { filePath: 'x' }))).toBeInstanceOf(
			IntegrityError,
		);
		await server.close();
	});

	test.each([[{}], [{ name: '' }], [[]]])('%j names no file', async (body) => {
		harness.sandbox.inject({ on: IMAGE, answer: { status: 200, json: body } });
		const failure = await failureOf(harness.connectV1().assets.upload(pngSource(await newPicture()), { filePath: 'x' }));
		expect(failure).toMatchObject({ facts: { reason: 'unexpected' } });
	});
});

describe('upload of a mask', () => {
	const upload = async (mask: Buffer, filename: string): Promise<Asset> => {
		const { asset } = await assetMasks(harness.connectV1()).upload(pngSource(mask), {
			filePath: 'mask.png',
			original: { ...original, filename },
		});
		return asset;
	};

	test('names its original', async () => {
		const { assets } = harness.connectV1();
		const photo = (await assets.upload(pngSource(await newPicture()), { filePath: 'photo.png' })).asset;
		const mask = await upload(await newPicture(), String(photo.name));
		expect(mask).toMatchObject({ id: null, type: 'input', url: expect.stringContaining('/api/view?'), metadata: { is_mask: true } });
		expect(assets.reference(mask)).toBe(mask.name);
		expect(mask.name).not.toBe(photo.name);
	});

	test('the form: `subfolder` is empty, `original_ref` is JSON text', async () => {
		await expect(formOf((connection) => assetMasks(connection).upload(text(), { filePath: 'm.png', original }))).resolves.toEqual([
			['type', 'input'],
			['subfolder', ''],
			['original_ref', JSON.stringify(original)],
			['image', 'bytes'],
		]);
	});
});

test.each(['fromHash', 'has', 'get', 'delete'] as const)('%s: only v2 has it', async (method) => {
	await expect((async () => await assetRecords(harness.connectV1())[method]('x'))()).rejects.toMatchObject({
		interface: 'v1',
		code: 'not_implemented',
		status: 501,
		message: expect.stringContaining('v2'),
	});
	expect(harness.sandbox.requests()).toHaveLength(0);
});

test('v2 has no masks', async () => {
	await expect((async () => await assetMasks(harness.connect()).upload(text(), { filePath: 'm.png', original }))()).rejects.toMatchObject({
		interface: 'v2',
		code: 'not_implemented',
	});
});
