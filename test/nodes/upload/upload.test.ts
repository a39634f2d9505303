import { randomBytes, randomUUID } from 'node:crypto';

import { blake3 } from '@noble/hashes/blake3';

import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { assetRun, fileItem, uploadRun } from '../support/files';
import { credentialFor, surfaces } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted } from '../support/submit';

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
		// n8n's own timers end soon. A timer of this package would remain for minutes.
		await until(() => timers() <= before);
	});
});

it.each([
	['self_hosted', { uploadLimitBytes: 1_000 }, 'The request is larger than the server allows', /./],
	['engine', { engineUploadLimitBytes: 1_000 }, 'The request is larger than ComfyUI allows', /--max-upload-size/],
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
	expect(error?.description).toMatch(/no files at all.*Input Binary Field/);
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
		expect(error?.message).toMatch(/has no (job|entry|asset) with this ID/);
		expect(error?.description).toMatch(/retention time may be over/);
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
		expect(error?.message).toBe('The service has no asset with this ID');
		expect(error?.description).toMatch(/Check Asset ID/);
	});

	it('an asset that a job still needs cannot be deleted', async () => {
		sandbox.inject({ on: 'DELETE /api/v2/assets/:id', answer: { status: 409, code: 'asset_in_use' } });
		const { error } = await runNode(assetRun(hosted(), 'delete', { parameters: { assetId: randomUUID() } }));
		expect(error?.message).toMatch(/in use/);
		expect(error?.description).toMatch(/jobs that use it have finished/);
	});
});
