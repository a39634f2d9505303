import { randomBytes, randomUUID } from 'node:crypto';

import { blake3 } from '@noble/hashes/blake3';
import type { IDataObject } from 'n8n-workflow';

import { until } from '../../support/until';
import { bytesOf, type Credential, type InputItem, runNode } from '../support/engine';
import { assetRun, CONTINUE, downloadRun, fileItem, uploadRun } from '../support/files';
import { credentialFor, surfaces } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { pixelsOf, solidPicture } from '../support/pictures';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitRun, submitted, waitRun } from '../support/submit';

const sandbox = sharedSandbox();

const hosted = () => credentialFor(sandbox);
const hashOf = (content: Buffer) => `blake3:${Buffer.from(blake3(content)).toString('hex')}`;
const uploads = () => sandbox.requests('POST /api/v2/assets').length;

it.each(surfaces)('an upload returns the asset and its reference for a job, and sends no bytes the second time (%s)', async (surface) => {
	const credential = credentialFor(sandbox, surface);
	const content = randomBytes(5_000);
	const result = await runNode(uploadRun(credential, [fileItem(content)]));
	expect(result.status).toBe('success');
	const [item] = jsons(result);
	const asset = { hash: hashOf(content), size_bytes: 5_000, content_type: 'image/png', file_path: 'cat.png', interface: 'v2' };
	expect(item).toMatchObject({ id: expect.any(String), ...asset, uploaded: true, bytes_sent: 5_000 });
	expect(item?.reference).toEqual({ __type: 'core/ASSET', info: { id: item?.id, hash: item?.hash, file_path: 'cat.png' } });
	expect(item).not.toHaveProperty('error');
	expect(result.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
	expect(sandbox.requests('POST /api/v2/assets').map(({ headers }) => headers['idempotency-key'])).toEqual([undefined]);

	const [again] = jsons(await runNode(uploadRun(credential, [fileItem(content)])));
	expect(again).toMatchObject({ uploaded: false, bytes_sent: 0, hash: hashOf(content) });
	expect(uploads()).toBe(1);
	expect(sandbox.requests('POST /api/v2/assets/from-hash').at(-1)?.bodyBytes).toBeLessThan(300);
	await expect(submitted(sandbox, invertGraph(again?.reference), credential)).resolves.toEqual(expect.any(String));
});

describe('what is sent', () => {
	it('without Skip If Already Stored the bytes are sent, and the same asset is returned', async () => {
		const content = randomBytes(3_000);
		const [first] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)])));
		sandbox.resetRecords();
		const [second] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)], { options: { skipIfAlreadyStored: false } })));
		expect(second).toMatchObject({ id: first?.id, uploaded: true, bytes_sent: 3_000 });
		expect(sandbox.requests('POST /api/v2/assets')[0]?.bodyBytes).toBeGreaterThan(3_000);
		expect(sandbox.requests('HEAD *')).toEqual([]);
	});

	it('bytes that the service deleted after it was asked for them are sent', async () => {
		const content = randomBytes(3_000);
		await runNode(uploadRun(hosted(), [fileItem(content)]));
		const fault = sandbox.inject({ on: 'POST /api/v2/assets/from-hash', answer: { status: 404, code: 'blob_not_found' } });
		const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)])));
		expect(fault.used).toBe(1);
		expect(item).toMatchObject({ uploaded: true, bytes_sent: 3_000, hash: hashOf(content) });
	});

	it('a service without hashes gets the bytes, and its reference works without a hash', async () => {
		sandbox.configure({ hashes: 'null' });
		const content = randomBytes(3_000);
		const sent = [];
		for (let time = 0; time < 2; time++) {
			const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)])));
			sent.push(item);
			expect(item).toMatchObject({ hash: null, uploaded: true, bytes_sent: 3_000 });
			expect(item?.reference).toEqual({ __type: 'core/ASSET', info: { id: item?.id, file_path: 'cat.png' } });
		}
		await expect(submitted(sandbox, invertGraph(sent[1]?.reference))).resolves.toEqual(expect.any(String));
	});

	it('a rejection before the end of the body leaves no timer behind', async () => {
		const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
		const before = timers();
		sandbox.inject({ on: 'POST /api/v2/assets', answer: { status: 409, code: 'hash_mismatch' } });
		await runNode(uploadRun(hosted(), [fileItem(randomBytes(4_000_000))], { options: { skipIfAlreadyStored: false } }));
		// n8n has timers of its own, which come and go; one of ours would stay for minutes.
		await until(() => timers() <= before);
	});
});

it.each([
	['self_hosted', { uploadLimitBytes: 1_000 }, 'This is more than the server takes in one request', /./],
	['engine', { engineUploadLimitBytes: 1_000 }, 'This is more than ComfyUI takes in one request', /--max-upload-size/],
] as const)('a file above the limit of the server is reported (%s)', async (way, limit, message, advice) => {
	sandbox.configure(limit);
	const { error } = await runNode(uploadRun(credentialFor(sandbox, way), [fileItem(randomBytes(50_000), 'large.bin')]));
	expect(error?.message).toBe(message);
	expect(error?.description).toMatch(advice);
});

describe('the name in the service', () => {
	it.each([
		['the file’s own name', 'photo of a cat.jpg', '', 'photo of a cat.jpg'],
		['the last part of a name with folders', '../../etc/passwd.png', '', 'passwd.png'],
		['a name of dots only', '..', '', 'upload.png'],
		['an explicit path, kept as it is', 'cat.png', 'inputs/today/dög.png', 'inputs/today/dög.png'],
	])('%s', async (_, fileName, filePath, expected) => {
		const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(randomBytes(10), fileName)], { filePath })));
		expect(item?.file_path).toBe(expected);
	});

	it('can come from each item', async () => {
		const items = ['a', 'b'].map((name) => ({ ...fileItem(randomBytes(10)), json: { name } }));
		const result = await runNode(uploadRun(hosted(), items, { filePath: '={{ "inputs/" + $json.name + ".png" }}' }));
		expect(jsons(result).map(({ file_path }) => file_path)).toEqual(['inputs/a.png', 'inputs/b.png']);
	});
});

it('an upload sends each tag, seconds for minutes, and the file last', async () => {
	const options = { tags: 'input, campaign-7,,', expiresInMinutes: 90, skipIfAlreadyStored: false };
	await runNode(uploadRun(hosted(), [fileItem(Buffer.from('abc'))], { options }));
	const body = sandbox.requests('POST /api/v2/assets')[0]?.bodyText ?? '';
	expect([...body.matchAll(/name="(\w+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)].map(([, name, value]) => [name, value])).toEqual([
		['content_type', 'image/png'],
		['file_path', 'cat.png'],
		['tags', 'input'],
		['tags', 'campaign-7'],
		['expires_in', '5400'],
		['file', 'abc'],
	]);
});

it('an item without a file says how to get one', async () => {
	const { error } = await runNode(uploadRun(hosted(), [{ json: { id: 1 } }]));
	expect(error?.message).toBe('The item has no file in the field "data"');
	expect(error?.description).toMatch(/no file at all.*Input Binary Field/);
});

const uploaded = async (content = randomBytes(4_000), credential = hosted()) =>
	jsons(await runNode(uploadRun(credential, [fileItem(content)])))[0] ?? {};

it.each(surfaces)('Get returns the record again, and reports it as unknown after Delete (%s)', async (surface) => {
	const credential = credentialFor(sandbox, surface);
	const asset = await uploaded(randomBytes(100), credential);
	const byId = { items: [{ json: { id: String(asset.id) } }] };
	const [read] = jsons(await runNode(assetRun(credential, 'get', byId)));
	expect(read).toMatchObject({ id: asset.id, hash: asset.hash, reference: asset.reference, uploaded: false, bytes_sent: 0 });

	expect(jsons(await runNode(assetRun(credential, 'delete', byId)))).toEqual([{ deleted: true, id: asset.id }]);
	for (const operation of ['delete', 'get'] as const) {
		const { status, error } = await runNode(assetRun(credential, operation, byId));
		expect(status).toBe('error');
		expect(error?.message).toMatch(/knows no such/);
		expect(error?.description).toMatch(/may have been deleted/);
		expect(error?.httpCode).toBe('404');
	}
});

describe('Create From Hash', () => {
	it.each([
		['as it is', (hash: string) => hash],
		['without its prefix and in capitals', (hash: string) => hash.slice('blake3:'.length).toUpperCase()],
	])('makes an asset under a new name from a hash %s, and sends no bytes', async (_, shape) => {
		const asset = await uploaded();
		const before = uploads();
		const parameters = { filePath: 'again/copy.png', options: { tags: 'one', expiresInMinutes: 60 } };
		const items = [{ json: { hash: shape(String(asset.hash)) } }];
		const [item] = jsons(await runNode(assetRun(hosted(), 'createFromHash', { items, parameters })));
		expect(item).toMatchObject({ hash: asset.hash, file_path: 'again/copy.png', uploaded: false, bytes_sent: 0 });
		expect(item?.id).not.toBe(asset.id);
		const { bodyText } = sandbox.requests('POST /api/v2/assets/from-hash').at(-1)!;
		expect(JSON.parse(bodyText)).toEqual({ hash: asset.hash, file_path: 'again/copy.png', tags: ['one'], expires_in: 3_600 });
		expect(uploads()).toBe(before);
	});

	it.each(['sha256:abc', 'f'.repeat(63)])('%s is rejected before anything is sent', async (hash) => {
		const { error } = await runNode(assetRun(hosted(), 'createFromHash', { parameters: { hash } }));
		expect(error?.message).toBe('Hash is not a BLAKE3 hash');
		expect(error?.description).toMatch(/64 hexadecimal digits/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('a hash the service does not have says to use Upload', async () => {
		const { error } = await runNode(assetRun(hosted(), 'createFromHash', { parameters: { hash: 'a'.repeat(64) } }));
		expect(error?.message).toMatch(/does not have a file with this hash/);
		expect(error?.description).toMatch(/operation Upload/);
		expect(error?.httpCode).toBe('404');
	});
});

describe('an id that is not usable', () => {
	it.each(['get', 'delete'] as const)('%s: a missing id names the field', async (operation) => {
		const { error } = await runNode(assetRun(hosted(), operation, { items: [{ json: {} }] }));
		expect(error?.message).toBe('Asset ID is empty');
	});

	it('asset_not_found, as the public service says, names Asset ID', async () => {
		sandbox.configure({ notFoundCodes: 'service' });
		const { error } = await runNode(assetRun(hosted(), 'get', { parameters: { assetId: randomUUID() } }));
		expect(error?.message).toBe('The service knows no such asset');
		expect(error?.description).toMatch(/Check Asset ID/);
	});

	it('an asset that a job still needs cannot be deleted', async () => {
		sandbox.inject({ on: 'DELETE /api/v2/assets/:id', answer: { status: 409, code: 'asset_in_use' } });
		const { error } = await runNode(assetRun(hosted(), 'delete', { parameters: { assetId: randomUUID() } }));
		expect(error?.message).toMatch(/in use/);
		expect(error?.description).toMatch(/jobs that use it have ended/);
	});
});

const engine = () => credentialFor(sandbox, 'engine');
const v1 = () => credentialFor(sandbox, 'v1');
const upload = async (credential: Credential, content: Buffer, name: string, parameters = {}) =>
	jsons(await runNode(uploadRun(credential, [fileItem(content, name)], parameters)))[0] ?? {};

/** The first pixel of what a workflow makes of an uploaded image. */
async function pixelOf(credential: Credential, graph: object, reference: unknown, node = 'Picture'): Promise<number[]> {
	const inputFiles = { values: [{ input: `${node}.image`, reference }] } as IDataObject;
	const [job] = jsons(await runNode(submitRun(credential, graph, { parameters: { inputFiles } })));
	await runNode(waitRun(credential, [String(job?.job_id)]));
	const { outputs } = await runNode(downloadRun(credential, [String(job?.job_id)]));
	return [...(await pixelsOf(await bytesOf(outputs[0]?.[0]))).subarray(0, 3)];
}

describe('Upload to an engine', () => {
	const named = { name: 'red.png', subfolder: '', type: 'input', reference: 'red.png', uploaded: true, id: null, hash: null };
	const inFolder = { name: 'blue.png', subfolder: 'campaign/spring', reference: 'campaign/spring/blue.png' };

	it.each([
		['keeps the file’s own name', 'red', 'red.png', {}, { interface: 'engine', ...named }, [0, 255, 255]],
		['takes Path In Service with folders', 'blue', 'x.png', { filePath: 'campaign/spring/blue.png' }, inFolder, [255, 255, 0]],
		[
			'takes Type and marks the reference',
			'lime',
			'lime.png',
			{ options: { imageType: 'temp' } },
			{ type: 'temp', reference: 'lime.png [temp]' },
			[255, 0, 255],
		],
	])('%s, and its reference works in a workflow', async (_, color, name, parameters, expected, pixel) => {
		const item = await upload(engine(), await solidPicture(color), name, parameters);
		expect(item).toMatchObject(expected);
		expect(await pixelOf(engine(), invertGraph(), item.reference)).toEqual(pixel);
	});

	it('gives other bytes under the same name a name of their own, unless Overwrite is on', async () => {
		const names = [];
		for (const [color, options] of [['white', {}] as const, ['black', {}] as const, ['black', { overwrite: true }] as const])
			names.push((await upload(engine(), await solidPicture(color), 'same.png', { options })).name);
		expect(names).toEqual(['same.png', 'same (1).png', 'same.png']);
		expect(await pixelOf(engine(), invertGraph(), 'same.png')).toEqual([255, 255, 255]);
	});

	it('takes any file', async () => {
		expect(await upload(engine(), Buffer.from('not an image'), 'notes.txt')).toMatchObject({ reference: 'notes.txt', bytes_sent: 12 });
	});
});

describe('Upload over v1', () => {
	it('returns the same fields, with those of v2 null and the plain name as reference', async () => {
		const content = await solidPicture('red');
		const item = await upload(v1(), content, 'red.png', { options: { imageType: 'temp', overwrite: true } });
		const own = { interface: 'v1', type: 'temp', reference: item.name };
		expect(item).toMatchObject({ ...own, uploaded: true, bytes_sent: content.length, id: null, hash: null, created_at: null });
		expect(sandbox.requests('POST /api/upload/image')).toHaveLength(1);
	});

	it('reports a file that is no image in the words of the service', async () => {
		const { error } = await runNode(uploadRun(v1(), [fileItem(Buffer.from('no image'), 'notes.txt', 'text/plain')]));
		expect(error?.message).toMatch(/could not use the request: The file is not an image/);
	});
});

const OF_V2 = { skipIfAlreadyStored: true, tags: 'a, b', expiresInMinutes: 5 };
it.each([
	['engine', OF_V2, { interface: 'engine', reference: 'gray.png' }],
	['v1', OF_V2, { interface: 'v1' }],
	['hosted', { imageType: 'temp', overwrite: true }, { interface: 'v2', reference: { __type: 'core/ASSET' } }],
] as const)('Upload over %s ignores the options that another interface alone has', async (way, options, expected) => {
	const item = await upload(credentialFor(sandbox, way), await solidPicture('gray'), 'gray.png', { options });
	expect(item).toMatchObject(expected);
	expect(item).not.toHaveProperty('error');
	if (way !== 'hosted') expect(sandbox.requests('POST *').map(({ path }) => path)).toEqual(['/api/upload/image']);
	if (way === 'v1') expect(sandbox.requests()).toHaveLength(1);
});

describe('Upload Mask', () => {
	const mask = async (json: object = {}, name = 'mask.png'): Promise<InputItem> => ({
		json: json as IDataObject,
		...fileItem(await solidPicture({ r: 0, g: 0, b: 0, alpha: 0.5 }), name),
	});
	const maskRun = async (credential: Credential, item: InputItem, parameters = {}, more = {}) =>
		await runNode(
			assetRun(credential, 'uploadMask', { items: [item], parameters: { binaryPropertyName: 'data', ...parameters }, ...more }),
		);

	it.each([
		['engine', 'engine', { interface: 'engine', reference: 'mask-engine.png' }],
		['bare_engine', 'engine', { interface: 'engine', reference: 'mask-bare_engine.png' }],
		['self_hosted', 'engine', { interface: 'engine', reference: 'mask-self_hosted.png' }],
		['hosted', 'v1', { interface: 'v1', uploaded: true, metadata: { is_mask: true } }],
	] as const)('lays the mask over the image of the same item, for a workflow to use (%s)', async (way, runsOver, expected) => {
		const place = credentialFor(sandbox, runsOver);
		const image = await upload(place, await solidPicture('white'), 'portrait.png', { filePath: 'faces/portrait.png' });
		const [item] = jsons(await maskRun(credentialFor(sandbox, way), await mask({ reference: image.reference }, `mask-${way}.png`)));
		expect(item).toMatchObject(expected);
		expect(item?.reference).toBe(item?.name);
		const graph = {
			'1': { class_type: 'LoadImageMask', inputs: { image: 'mask.png', channel: 'alpha' } },
			'2': { class_type: 'MaskToImage', inputs: { mask: ['1', 0] } },
			'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'mask' } },
		};
		// ComfyUI's masks are the picture's transparency.
		const [value] = await pixelOf(place, graph, item?.reference, '1');
		expect(value).toBeGreaterThan(100);
		expect(value).toBeLessThan(155);
	});

	it('sends nothing for an image that the engine does not have, and says so', async () => {
		const { error } = await maskRun(engine(), await mask({ reference: 'faces/nobody.png' }));
		expect(error?.message).toBe('ComfyUI has no file "faces/nobody.png" that the mask could belong to');
		expect(error?.description).toMatch(/Upload the image first.*Original Image/s);
		expect(sandbox.requests('POST *', 'engine')).toEqual([]);
	});

	it('reports an image that the service does not have in its words', async () => {
		const { error } = await maskRun(v1(), await mask(), { original: 'no-such.png' });
		expect(error?.message).toMatch(/could not use the request: original_ref names no stored file/);
	});

	it.each([
		['a name', (name: string) => name],
		['an object', (name: string) => ({ filename: name, subfolder: '', type: 'input' })],
		['its JSON text', (name: string) => JSON.stringify({ filename: name })],
	])('takes the original as %s', async (_, shape) => {
		const image = await upload(v1(), await solidPicture('gray'), 'cat.png');
		const { status } = await maskRun(v1(), await mask({ original: shape(String(image.name)) }), { original: '={{ $json.original }}' });
		expect(status).toBe('success');
	});

	it.each([
		['nothing', '={{ $json.reference }}', /Original Image is empty/, /\$json\.reference/],
		['v2’s reference', '={{ { __type: "core/ASSET", info: { id: "x" } } }}', /Original Image does not name an image/, /over v1/],
		['half a JSON text', '{"filename": ', /Original Image does not name an image/, /filename/],
	])('refuses %s before anything is sent', async (_, original, message, advice) => {
		const { error } = await maskRun(v1(), await mask(), { original });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(error?.description).toMatch(/Nothing was sent/);
		expect(sandbox.requests()).toEqual([]);
	});

	it('goes to the engine with Self-Hosted, and continues after a failure with Continue On Fail', async () => {
		const selfHosted = credentialFor(sandbox, 'self_hosted');
		const continued = await maskRun(selfHosted, await mask({ reference: '' }), {}, CONTINUE);
		expect(jsons(continued)).toMatchObject([{ error: 'Original Image is empty' }]);
		await upload({ ...selfHosted, interface: 'engine' }, await solidPicture('white'), 'white.png');
		expect(jsons(await maskRun(selfHosted, await mask(), { original: 'white.png' }))).toMatchObject([
			{ interface: 'engine', reference: 'mask.png' },
		]);
		expect(new Set(sandbox.requests().map(({ surface }) => surface))).toEqual(new Set(['engine']));
	});
});
