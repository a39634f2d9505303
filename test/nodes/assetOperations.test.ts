import { randomBytes, randomUUID } from 'node:crypto';

import { runNode } from './support/engine';
import { assetRun, fileItem, uploadRun } from './support/files';
import { credentialFor, surfaces } from './support/flavours';
import { jsons } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const hosted = () => credentialFor(sandbox);
const uploaded = async (content = randomBytes(4_000), credential = hosted()) =>
	jsons(await runNode(uploadRun(credential, [fileItem(content)])))[0] ?? {};
const uploads = () => sandbox.requests('POST /api/v2/assets').length;

it.each(surfaces)('Get outputs the record again; after Delete it is gone (%s)', async (surface) => {
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

it('a Delete whose answer is lost says so, and is not sent again: it would find nothing', async () => {
	const asset = await uploaded();
	const before = sandbox.requests('DELETE *').length;
	sandbox.inject({ on: 'DELETE /api/v2/assets/:id', fault: { kind: 'drop_after' } });
	const { error } = await runNode(assetRun(hosted(), 'delete', { parameters: { assetId: String(asset.id) } }));
	expect(error?.message).toMatch(/connection to .* was lost/);
	expect(sandbox.requests('DELETE *')).toHaveLength(before + 1);
});

describe('Create From Hash', () => {
	it('makes an asset of a file that the service has, under a new name, without its bytes', async () => {
		const asset = await uploaded();
		const before = uploads();
		const parameters = { filePath: 'again/copy.png', options: { expiresInMinutes: 60 } };
		const [item] = jsons(
			await runNode(assetRun(hosted(), 'createFromHash', { items: [{ json: { hash: String(asset.hash) } }], parameters })),
		);
		expect(item).toMatchObject({ hash: asset.hash, file_path: 'again/copy.png', uploaded: false, bytes_sent: 0 });
		expect(item?.id).not.toBe(asset.id);
		expect(Date.parse(String(item?.expires_at))).toBeGreaterThan(Date.now() + 59 * 60_000);
		expect(uploads()).toBe(before);
	});

	it('takes the hash without its prefix and in capitals', async () => {
		const asset = await uploaded();
		const hash = String(asset.hash).slice('blake3:'.length).toUpperCase();
		const [item] = jsons(await runNode(assetRun(hosted(), 'createFromHash', { parameters: { hash } })));
		expect(item?.hash).toBe(asset.hash);
	});

	it.each(['sha256:abc', 'f'.repeat(63)])('%s is refused before anything is sent', async (hash) => {
		const before = sandbox.requests().length;
		const { error } = await runNode(assetRun(hosted(), 'createFromHash', { parameters: { hash } }));
		expect(error?.message).toBe('Hash is not a BLAKE3 hash');
		expect(error?.description).toMatch(/64 hexadecimal digits/);
		expect(sandbox.requests()).toHaveLength(before);
	});

	it('a hash the service does not have says to use Upload', async () => {
		const { error } = await runNode(assetRun(hosted(), 'createFromHash', { parameters: { hash: 'a'.repeat(64) } }));
		expect(error?.message).toMatch(/does not have a file with this hash/);
		expect(error?.description).toMatch(/operation Upload/);
		expect(error?.httpCode).toBe('404');
	});
});

describe('an id that is none', () => {
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

it.each([
	['get', { assetId: '={{ $json.id }}' }],
	['delete', { assetId: '={{ $json.id }}' }],
	['createFromHash', { hash: '={{ $json.hash }}' }],
] as const)('a failure carries the index of its item: %s', async (operation, parameters) => {
	const items = [{ json: await uploaded() }, { json: { id: randomUUID(), hash: 'b'.repeat(64) } }];
	const { error } = await runNode(assetRun(hosted(), operation, { items, parameters }));
	expect(error?.context.itemIndex).toBe(1);
});
