import { randomBytes } from 'node:crypto';

import { blake3 } from '@noble/hashes/blake3';

import { until } from '../support/until';
import { json, serve, type SeenRequest } from '../client/support/server';
import { type Credential, type NodeRun, runNode } from './support/engine';
import { assetRun, CONTINUE, fileItem, uploadRun } from './support/files';
import { credentialFor, surfaces } from './support/flavours';
import { invertGraph } from './support/graphs';
import { jsons, submitted } from './support/submit';
import { sharedSandbox } from './support/sandbox';

const sandbox = sharedSandbox();

const hosted = () => credentialFor(sandbox);
const hashOf = (content: Buffer) => `blake3:${Buffer.from(blake3(content)).toString('hex')}`;
/** Bytes that went to the service in bodies of `POST /assets` since a moment. */
const sentSince = (first: number) =>
	sandbox
		.requests('POST /api/v2/assets')
		.slice(first)
		.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
const uploads = () => sandbox.requests('POST /api/v2/assets').length;

describe.each(surfaces)('on %s', (surface) => {
	const credential = () => credentialFor(sandbox, surface);

	it('an upload outputs the asset’s record, its reference, and what it took', async () => {
		const content = randomBytes(5_000);
		const result = await runNode(uploadRun(credential(), [fileItem(content)]));
		expect(result.status).toBe('success');
		const [item] = jsons(result);
		expect(item).toMatchObject({
			id: expect.any(String),
			hash: hashOf(content),
			size_bytes: 5_000,
			content_type: 'image/png',
			file_path: 'cat.png',
			interface: 'v2',
			uploaded: true,
			bytes_sent: 5_000,
		});
		expect(item?.reference).toEqual({ __type: 'core/ASSET', info: { id: item?.id, hash: item?.hash, file_path: 'cat.png' } });
		expect(item).not.toHaveProperty('error');
		expect(result.outputs[0]?.[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('the same file again sends none of its bytes, and its reference works in a job', async () => {
		const content = randomBytes(5_000);
		await runNode(uploadRun(credential(), [fileItem(content)]));
		const before = uploads();
		const [item] = jsons(await runNode(uploadRun(credential(), [fileItem(content)])));
		expect(item).toMatchObject({ uploaded: false, bytes_sent: 0, hash: hashOf(content) });
		expect(uploads()).toBe(before);
		expect(sandbox.requests('POST /api/v2/assets/from-hash').at(-1)?.bodyBytes).toBeLessThan(300);
		await expect(submitted(sandbox, invertGraph(item?.reference), credential())).resolves.toEqual(expect.any(String));
	});
});

describe('what is sent', () => {
	it('with Skip If Already Stored off the bytes go out unasked, and the same asset comes back', async () => {
		const content = randomBytes(3_000);
		const [first] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)])));
		const before = { uploads: uploads(), heads: sandbox.requests('HEAD *').length };
		const [second] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)], { options: { skipIfAlreadyStored: false } })));
		expect(second).toMatchObject({ id: first?.id, uploaded: true, bytes_sent: 3_000 });
		expect(sentSince(before.uploads)).toBeGreaterThan(3_000);
		expect(sandbox.requests('HEAD *')).toHaveLength(before.heads);
	});

	it('bytes that vanish between the question and the answer are sent after all', async () => {
		const content = randomBytes(3_000);
		await runNode(uploadRun(hosted(), [fileItem(content)]));
		const fault = sandbox.inject({ on: 'POST /api/v2/assets/from-hash', answer: { status: 404, code: 'blob_not_found' } });
		const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)])));
		expect(fault.used).toBe(1);
		expect(item).toMatchObject({ uploaded: true, bytes_sent: 3_000, hash: hashOf(content) });
	});

	it('a service without hashes gets the bytes, and its reference works without one', async () => {
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

	it('a connection that drops in the middle is sent again, as one asset with the same bytes', async () => {
		const content = randomBytes(200_000);
		sandbox.inject({ on: 'POST /api/v2/assets', fault: { kind: 'drop_after' } });
		const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(content)])));
		expect(item).toMatchObject({ hash: hashOf(content), bytes_sent: 200_000 });
		expect(item).not.toHaveProperty('error');
	});

	it('sends no idempotency key: content de-duplicates', async () => {
		await runNode(uploadRun(hosted(), [fileItem(randomBytes(10))]));
		expect(sandbox.requests('POST /api/v2/assets').filter(({ headers }) => 'idempotency-key' in headers)).toEqual([]);
	});

	it('bytes that arrive changed: says that nothing was stored', async () => {
		sandbox.inject({ on: 'POST /api/v2/assets', answer: { status: 409, code: 'hash_mismatch' } });
		const { error } = await runNode(uploadRun(hosted(), [fileItem(randomBytes(10))]));
		expect(error?.message).toBe('The service received other bytes than were announced');
		expect(error?.description).toMatch(/Nothing was stored/);
		expect(error?.httpCode).toBe('409');
	});

	it('a refusal that comes before the whole body was sent leaves no timer behind', async () => {
		const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
		const before = timers();
		sandbox.inject({ on: 'POST /api/v2/assets', answer: { status: 409, code: 'hash_mismatch' } });
		await runNode(uploadRun(hosted(), [fileItem(randomBytes(4_000_000))], { options: { skipIfAlreadyStored: false } }));
		// n8n has timers of its own, which come and go; one of ours would stay for minutes.
		await until(() => timers() <= before);
	});

	it('a file above the server’s limit says so', async () => {
		sandbox.configure({ uploadLimitBytes: 1_000 });
		const { error } = await runNode(uploadRun(credentialFor(sandbox, 'self_hosted'), [fileItem(randomBytes(5_000))]));
		sandbox.configure({ uploadLimitBytes: 1024 ** 3 });
		expect(error?.message).toBe('This is more than the server takes in one request');
	});
});

describe('the name in the service', () => {
	it.each([
		['the file’s own name', 'photo of a cat.jpg', '', 'photo of a cat.jpg'],
		['the last part of a name with folders', '../../etc/passwd.png', '', 'passwd.png'],
		['the last part of a name with Windows folders', '..\\..\\evil.png', '', 'evil.png'],
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

describe('tags and expiry', () => {
	/** A service that shows what it got. */
	const sentTo = async (run: (credential: Credential) => NodeRun): Promise<SeenRequest[]> => {
		const asset = { id: 'a1', hash: null, size_bytes: 3, content_type: 'image/png', created_at: null, url: '/a1', url_expires_at: null };
		const server = await serve(json(201, asset));
		try {
			const { status } = await runNode(run(credentialFor(sandbox, 'hosted', { baseUrl: server.origin })));
			expect(status).toBe('success');
			return server.seen;
		} finally {
			await server.close();
		}
	};

	it('an upload sends each tag, seconds for minutes, and the file last', async () => {
		const options = { tags: 'input, campaign-7,,', expiresInMinutes: 90, skipIfAlreadyStored: false };
		const [request] = await sentTo((credential) => uploadRun(credential, [fileItem(Buffer.from('abc'))], { options }));
		const parts = [...String(request?.body).matchAll(/name="(\w+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)].map(([, name, value]) => [name, value]);
		expect(parts).toEqual([
			['content_type', 'image/png'],
			['file_path', 'cat.png'],
			['tags', 'input'],
			['tags', 'campaign-7'],
			['expires_in', '5400'],
			['file', 'abc'],
		]);
	});

	it('so does Create From Hash', async () => {
		const hash = `blake3:${'a'.repeat(64)}`;
		const parameters = { hash, options: { tags: 'one', expiresInMinutes: 1 } };
		const [request] = await sentTo((credential) => assetRun(credential, 'createFromHash', { parameters }));
		expect(JSON.parse(String(request?.body))).toEqual({ hash, tags: ['one'], expires_in: 60 });
	});

	it('Expires In (Minutes) becomes an end in so many minutes', async () => {
		const before = Date.now();
		const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(randomBytes(10))], { options: { expiresInMinutes: 90 } })));
		const minutes = (Date.parse(String(item?.expires_at)) - before) / 60_000;
		expect(minutes).toBeGreaterThan(89.9);
		expect(minutes).toBeLessThan(90.5);
	});

	it('without Expires In the service decides', async () => {
		const [item] = jsons(await runNode(uploadRun(hosted(), [fileItem(randomBytes(10))])));
		expect(item?.expires_at).toBeNull();
	});
});

describe('an item without a usable file', () => {
	it('lists the fields there are, under the field’s label', async () => {
		const files = { picture: { content: randomBytes(3) }, mask: { content: randomBytes(3) } };
		const { error } = await runNode(uploadRun(hosted(), [{ files }]));
		expect(error?.message).toBe('The item has no file in the field "data"');
		expect(error?.description).toBe('Set Input Binary Field to one of: picture, mask.');
	});

	it('says how to get a file where there is none at all', async () => {
		const { error } = await runNode(uploadRun(hosted(), [{ json: { id: 1 } }]));
		expect(error?.message).toBe('The item has no file in the field "data"');
		expect(error?.description).toMatch(/no file at all.*Input Binary Field/);
	});

	it('an empty file is refused before anything is sent', async () => {
		const before = sandbox.requests().length;
		const { error } = await runNode(uploadRun(hosted(), [fileItem(Buffer.alloc(0))]));
		expect(error?.message).toBe('The file in the field "data" is empty');
		expect(error?.description).toMatch(/nothing was sent/);
		expect(sandbox.requests()).toHaveLength(before);
	});
});

describe('several items', () => {
	const three = () => [fileItem(randomBytes(20), 'a.png'), { json: { no: 'file' } }, fileItem(randomBytes(30), 'c.png')];

	it('a failure carries the index of its item', async () => {
		const { status, error } = await runNode(uploadRun(hosted(), three().slice(0, 2)));
		expect(status).toBe('error');
		expect(error?.context.itemIndex).toBe(1);
	});

	it('Continue On Fail keeps the order; only the failed item has an error', async () => {
		const result = await runNode(uploadRun(hosted(), three(), {}, CONTINUE));
		expect(result.status).toBe('success');
		const items = jsons(result);
		expect(items.map((item) => item.file_path)).toEqual(['a.png', undefined, 'c.png']);
		expect(items.map((item) => 'error' in item)).toEqual([false, true, false]);
		expect(items[1]).toMatchObject({
			error: 'The item has no file in the field "data"',
			error_description: expect.stringMatching(/Input Binary Field/),
		});
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	});

	it('items with the same file end as one asset', async () => {
		const content = randomBytes(4_000);
		const items = jsons(await runNode(uploadRun(hosted(), [fileItem(content), fileItem(content), fileItem(content)])));
		expect(new Set(items.map(({ hash }) => hash))).toEqual(new Set([hashOf(content)]));
		expect(new Set(items.map(({ id }) => id)).size).toBe(1);
	});
});
