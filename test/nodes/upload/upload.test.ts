import { randomBytes } from 'node:crypto';

import { blake3 } from '@noble/hashes/blake3';

import { until } from '../../support/until';
import { runNode } from '../support/engine';
import { assetRun, CONTINUE, fileItem, uploadRun } from '../support/files';
import { credentialFor, surfaces } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { sharedSandbox } from '../support/sandbox';
import { jsons, submitted } from '../support/submit';

const sandbox = sharedSandbox();

const hosted = () => credentialFor(sandbox);
const hashOf = (content: Buffer) => `blake3:${Buffer.from(blake3(content)).toString('hex')}`;
const uploads = () => sandbox.requests('POST /api/v2/assets').length;
const upload = async (content: Buffer, options = {}, credential = hosted()) =>
	jsons(await runNode(uploadRun(credential, [fileItem(content)], { options })))[0] ?? {};

it.each(surfaces)('an upload returns the asset and its reference for a job, and sends no bytes the second time (%s)', async (surface) => {
	const credential = credentialFor(sandbox, surface);
	const contents = [randomBytes(5_000), randomBytes(6_000)];
	const run = uploadRun(
		credential,
		contents.map((content) => fileItem(content)),
	);
	const result = await runNode(run);
	expect(result.status).toBe('success');
	for (const [index, item] of jsons(result).entries()) {
		const content = contents[index] as Buffer;
		const asset = { hash: hashOf(content), size_bytes: content.length, content_type: 'image/png', file_path: 'cat.png', interface: 'v2' };
		expect(item).toMatchObject({ id: expect.any(String), ...asset, uploaded: true, bytes_sent: content.length });
		expect(item.reference).toEqual({ __type: 'core/ASSET', info: { id: item.id, hash: item.hash, file_path: 'cat.png' } });
		expect(item).not.toHaveProperty('error');
		expect(result.outputs[0]?.[index]?.pairedItem).toEqual({ item: index });
	}
	expect(sandbox.requests('POST /api/v2/assets').map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined]);

	const again = jsons(await runNode(run));
	expect(again).toMatchObject(contents.map((content) => ({ uploaded: false, bytes_sent: 0, hash: hashOf(content) })));
	expect(uploads()).toBe(2);
	expect(sandbox.requests('POST /api/v2/assets/from-hash').at(-1)?.bodyBytes).toBeLessThan(300);
	for (const { reference } of again)
		await expect(submitted(sandbox, invertGraph(reference), credential)).resolves.toEqual(expect.any(String));
});

describe('what is sent', () => {
	it('bytes that the service deleted after it was asked for them', async () => {
		const content = randomBytes(3_000);
		await upload(content);
		sandbox.inject({ on: 'POST /api/v2/assets/from-hash', answer: { status: 404, code: 'blob_not_found' } });
		expect(await upload(content)).toMatchObject({ uploaded: true, bytes_sent: 3_000, hash: hashOf(content) });
	});

	it('bytes to a service without hashes, whose reference works without a hash', async () => {
		sandbox.configure({ hashes: 'null' });
		const content = randomBytes(3_000);
		const sent = [await upload(content), await upload(content)];
		for (const item of sent) {
			expect(item).toMatchObject({ hash: null, uploaded: true, bytes_sent: 3_000 });
			expect(item.reference).toEqual({ __type: 'core/ASSET', info: { id: item.id, file_path: 'cat.png' } });
		}
		await expect(submitted(sandbox, invertGraph(sent[1]?.reference))).resolves.toEqual(expect.any(String));
	});

	it('no byte after a rejection before the end of the body, which leaves no timer behind', async () => {
		const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
		const before = timers();
		sandbox.inject({ on: 'POST /api/v2/assets', answer: { status: 409, code: 'hash_mismatch' } });
		await upload(randomBytes(4_000_000), { skipIfAlreadyStored: false });
		// n8n's own timers end soon. A timer of this package would remain for minutes.
		await until(() => timers() <= before);
	});
});

it('each item has its own name in the service, tags, time and choice whether stored bytes are sent', async () => {
	const content = randomBytes(3_000);
	await upload(content);
	sandbox.resetRecords();
	const cases: Array<[fileName: string, json: { filePath?: string; tags?: string; minutes?: number; skips?: boolean }, expected: string]> =
		[
			['photo of a cat.jpg', { tags: 'input, campaign-7,,', minutes: 90, skips: false }, 'photo of a cat.jpg'],
			['../../etc/passwd.png', { tags: 'other', skips: false }, 'passwd.png'],
			['..', { skips: false }, 'upload.png'],
			['cat.png', { filePath: 'inputs/today/dög.png', skips: true }, 'inputs/today/dög.png'],
		];
	const items = cases.map(([fileName, json]) => ({ ...fileItem(content, fileName), json }));
	const parameters = {
		filePath: '={{ $json.filePath ?? "" }}',
		options: {
			concurrency: 1,
			tags: '={{ $json.tags }}',
			expiresInMinutes: '={{ $json.minutes }}',
			skipIfAlreadyStored: '={{ $json.skips }}',
		},
	};
	const result = jsons(await runNode(uploadRun(hosted(), items, parameters)));
	expect(result.map(({ file_path }) => file_path)).toEqual(cases.map(([, , expected]) => expected));
	expect(result.map(({ bytes_sent }) => bytes_sent)).toEqual([3_000, 3_000, 3_000, 0]);
	const fieldsOf = (text: string) =>
		[...text.matchAll(/name="(\w+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)].map(([, name, value]) => (name === 'file' ? name : `${name}=${value}`));
	expect(sandbox.requests('POST /api/v2/assets').map(({ bodyText }) => fieldsOf(bodyText))).toEqual([
		['content_type=image/png', 'file_path=photo of a cat.jpg', 'tags=input', 'tags=campaign-7', 'expires_in=5400', 'file'],
		['content_type=image/png', 'file_path=passwd.png', 'tags=other', 'file'],
		['content_type=image/png', 'file_path=upload.png', 'file'],
	]);
});

it('an item without a file says how to get one, and an empty file is named', async () => {
	const items = [{ json: { id: 1 } }, { files: { other: { content: Buffer.from('x') } } }, fileItem(Buffer.alloc(0))];
	expect(jsons(await runNode(uploadRun(hosted(), items, {}, CONTINUE)))).toMatchObject([
		{ error: 'The item has no file in the field "data"', error_description: expect.stringMatching(/no files at all.*Input Binary Field/) },
		{ error: 'The item has no file in the field "data"', error_description: 'Set Input Binary Field to one of: other.' },
		{ error: 'The file in the field "data" is empty', error_description: expect.stringMatching(/Nothing was sent/) },
	]);
});

it.each(surfaces)('Get returns the record of each item, and reports it as unknown after Delete (%s)', async (surface) => {
	const credential = credentialFor(sandbox, surface);
	const assets = [await upload(randomBytes(100), {}, credential), await upload(randomBytes(100), {}, credential)];
	const byId = { items: assets.map(({ id }) => ({ json: { id: String(id) } })) };
	expect(jsons(await runNode(assetRun(credential, 'get', byId)))).toMatchObject(
		assets.map(({ id, hash, reference }) => ({ id, hash, reference, uploaded: false, bytes_sent: 0 })),
	);
	const [first = {}, second = {}] = byId.items;
	expect(jsons(await runNode(assetRun(credential, 'delete', { items: [first] })))).toEqual([{ deleted: true, id: assets[0]?.id }]);
	for (const operation of ['delete', 'get'] as const) {
		const { error } = await runNode(assetRun(credential, operation, { items: [first] }));
		expect(error?.message).toMatch(/has no (job|entry|asset) with this ID/);
		expect(error?.description).toMatch(/retention time may be over/);
		expect(error?.httpCode).toBe('404');
	}
	expect(jsons(await runNode(assetRun(credential, 'get', { items: [second] })))).toMatchObject([{ id: assets[1]?.id }]);
});

describe('Create From Hash', () => {
	it('makes an asset under a new name from each hash, also without its prefix and in capitals, and sends no bytes', async () => {
		const assets = [await upload(randomBytes(4_000)), await upload(randomBytes(4_000))];
		const before = uploads();
		const [one, other] = assets.map(({ hash }) => String(hash));
		const items = [one, other?.slice('blake3:'.length).toUpperCase()].map((hash, index) => ({
			json: { hash, path: `again/${index}.png`, tag: `tag-${index}`, minutes: 60 + index },
		}));
		const options = { tags: '={{ $json.tag }}', expiresInMinutes: '={{ $json.minutes }}', concurrency: 1 };
		const parameters = { filePath: '={{ $json.path }}', options };
		const made = jsons(await runNode(assetRun(hosted(), 'createFromHash', { items, parameters })));
		expect(made).toMatchObject(
			assets.map(({ hash }, index) => ({ hash, file_path: `again/${index}.png`, uploaded: false, bytes_sent: 0 })),
		);
		expect(new Set([...assets, ...made].map(({ id }) => id)).size).toBe(4);
		expect(sandbox.requests('POST /api/v2/assets/from-hash').map(({ bodyText }) => JSON.parse(bodyText) as unknown)).toEqual(
			assets.map(({ hash }, index) => ({ hash, file_path: `again/${index}.png`, tags: [`tag-${index}`], expires_in: (60 + index) * 60 })),
		);
		expect(uploads()).toBe(before);
	});

	it.each([
		['sha256:abc', /^Hash is not a BLAKE3 hash$/, /64 hexadecimal digits/],
		['a'.repeat(64), /does not have a file with this hash/, /operation Upload/],
	])('%s is rejected with what to do', async (hash, message, advice) => {
		const { error } = await runNode(assetRun(hosted(), 'createFromHash', { parameters: { hash } }));
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
	});
});

it.each(['get', 'delete'] as const)('a missing ID is named by its field (%s)', async (operation) => {
	const { error } = await runNode(assetRun(hosted(), operation, { items: [{ json: {} }] }));
	expect(error?.message).toBe('Asset ID is empty');
});
