import { assetMasks, assetRecords } from '../../../client';
import { failureOf } from '../support/bytes';
import { picture, pngSource } from '../support/pictures';
import { useSandbox } from '../support/sandbox';
import { json, serve, type SeenRequest } from '../support/server';

const harness = useSandbox();
const IMAGE = 'POST /api/upload/image';

let colors = 0x500000;
const newPicture = () => picture(++colors);

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
	test('an upload sends its fields first, then the file under its own field name', async () => {
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

	test('an upload keeps unknown fields, and the folder and type that the service answers', async () => {
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

	test.each([[{}], [{ name: '' }], [[]]])('an upload fails when the answer %j names no file', async (body) => {
		harness.sandbox.inject({ on: IMAGE, answer: { status: 200, json: body } });
		const failure = await failureOf(harness.connectV1().assets.upload(pngSource(await newPicture()), { filePath: 'x' }));
		expect(failure).toMatchObject({ facts: { reason: 'unexpected' } });
	});
});

describe('upload of a mask', () => {
	test('each of two masks is sent with an empty `subfolder`, and with `original_ref` as JSON text', async () => {
		for (const filename of ['photo.png', 'other.png'])
			await expect(
				formOf((connection) => assetMasks(connection).upload(text(), { filePath: 'm.png', original: { ...original, filename } })),
			).resolves.toEqual([
				['type', 'input'],
				['subfolder', ''],
				['original_ref', JSON.stringify({ ...original, filename })],
				['image', 'bytes'],
			]);
	});
});

test.each(['fromHash', 'has', 'get', 'delete'] as const)('the asset record method %s is reported as a feature of v2', async (method) => {
	await expect((async () => await assetRecords(harness.connectV1())[method]('x'))()).rejects.toMatchObject({
		interface: 'v1',
		code: 'not_implemented',
		status: 501,
		message: expect.stringContaining('v2'),
	});
	expect(harness.sandbox.requests()).toHaveLength(0);
});

test('v2 reports that it has no masks', async () => {
	await expect((async () => await assetMasks(harness.connect()).upload(text(), { filePath: 'm.png', original }))()).rejects.toMatchObject({
		interface: 'v2',
		code: 'not_implemented',
	});
});
