import { assetRecords, type Connection, type DownloadSource } from '../../../client';
import { chunksOf, collect, failureOf, patterned } from '../support/bytes';
import { useSandbox } from '../support/sandbox';

const MIB = 1024 * 1024;
const harness = useSandbox();
const BLOB = 'GET /blobs/:id';
const CONTENT = 'GET /api/v2/assets/:id/content';

async function stored(connection: Connection, bytes: Buffer) {
	const source = { open: () => chunksOf(bytes), sizeBytes: bytes.length, contentType: 'image/png' };
	return (await connection.assets.upload(source, { filePath: 'x.png' })).asset;
}

const read = async (connection: Connection, source: DownloadSource): Promise<Buffer> =>
	await collect((await connection.assets.download(source)).bytes);

test('the content route leads to storage, which sees no credential', async () => {
	harness.sandbox.configure({ assetUrls: 'content' });
	const connection = harness.connect();
	const asset = await stored(connection, patterned(1_000));
	harness.sandbox.configure({ assetUrls: 'signed' });
	const download = await connection.assets.download({ url: asset.url });
	expect(download).toMatchObject({ contentType: 'image/png', sizeBytes: 1_000 });
	expect(await collect(download.bytes)).toEqual(patterned(1_000));
	const [content] = harness.sandbox.requests(CONTENT);
	expect([content?.status, content?.headers.authorization]).toEqual([302, `Bearer ${harness.sandbox.keys.apiKey}`]);
	expect(Object.keys(harness.sandbox.requests(BLOB)[0]?.headers ?? {}).sort()).toEqual(['connection', 'host']);
});

test('a download cut in the middle goes on where it stopped', async () => {
	const bytes = patterned(6 * MIB);
	const connection = harness.connect();
	const asset = await stored(connection, bytes);
	harness.sandbox.inject({ on: BLOB, surface: 'storage', fault: { kind: 'truncate', afterBytes: 2 * MIB } });
	harness.sandbox.inject({ on: BLOB, surface: 'storage', fault: { kind: 'truncate', afterBytes: 2 * MIB } });
	const whole = await read(connection, { url: asset.url, sizeBytes: asset.size_bytes, hash: asset.hash });
	expect(whole.equals(bytes)).toBe(true);
	const served = harness.sandbox.requests(BLOB, 'storage');
	expect(served.map(({ status }) => status)).toEqual([200, 206, 206]);
	expect(served.reduce((sum, { responseBytes }) => sum + responseBytes, 0)).toBeLessThanOrEqual(bytes.length + MIB);
});

test('inline content of a self-hosted service is resumed too, without size or hash', async () => {
	const bytes = patterned(3 * MIB);
	const connection = harness.connect('self_hosted_token');
	const asset = await stored(connection, bytes);
	harness.sandbox.inject({ on: CONTENT, fault: { kind: 'truncate', afterBytes: MIB } });
	expect((await read(connection, { url: asset.url, sizeBytes: 0, hash: null })).equals(bytes)).toBe(true);
});

test('silence is a cut', async () => {
	const bytes = patterned(2 * MIB);
	const connection = harness.connect('hosted', { limits: { downloadIdleMs: 200 } });
	const asset = await stored(connection, bytes);
	harness.sandbox.inject({ on: BLOB, fault: { kind: 'stall', afterBytes: MIB } });
	expect((await read(connection, { url: asset.url, hash: asset.hash })).equals(bytes)).toBe(true);
});

describe('an expired link', () => {
	test.each([400, 403] as const)('(%d) is refreshed once', async (expiredLinkStatus) => {
		harness.sandbox.configure({ expiredLinkStatus });
		const connection = harness.connect();
		const asset = await stored(connection, patterned(1_000));
		harness.sandbox.inject({ on: BLOB, fault: { kind: 'expired_link' } });
		const freshUrl = jest.fn(async () => (await assetRecords(connection).get(String(asset.id))).url);
		expect(await read(connection, { url: asset.url, freshUrl })).toEqual(patterned(1_000));
		expect(freshUrl).toHaveBeenCalledTimes(1);
	});

	test('in the middle of a download is refreshed, and the rest read', async () => {
		const bytes = patterned(2 * MIB);
		const connection = harness.connect();
		const asset = await stored(connection, bytes);
		harness.sandbox.inject({ on: BLOB, fault: { kind: 'truncate', afterBytes: MIB } });
		harness.sandbox.inject({ on: BLOB, fault: { kind: 'expired_link' } });
		const freshUrl = async () => (await assetRecords(connection).get(String(asset.id))).url;
		expect((await read(connection, { url: asset.url, hash: asset.hash, freshUrl })).equals(bytes)).toBe(true);
	});

	test('T2: that expires again later in the same download is refreshed again', async () => {
		const bytes = patterned(3 * MIB);
		const connection = harness.connect();
		const asset = await stored(connection, bytes);
		for (const expiry of [1, 2]) {
			harness.sandbox.inject({ on: BLOB, fault: { kind: 'truncate', afterBytes: MIB / expiry } });
			harness.sandbox.inject({ on: BLOB, fault: { kind: 'expired_link' } });
		}
		const freshUrl = jest.fn(async () => (await assetRecords(connection).get(String(asset.id))).url);
		expect((await read(connection, { url: asset.url, hash: asset.hash, freshUrl })).equals(bytes)).toBe(true);
		expect(freshUrl).toHaveBeenCalledTimes(2);
	});

	test('that stays expired is an error without the link', async () => {
		const connection = harness.connect();
		const asset = await stored(connection, patterned(1_000));
		harness.sandbox.inject({ on: BLOB, times: Infinity, fault: { kind: 'expired_link' } });
		const freshUrl = jest.fn(() => Promise.resolve(asset.url));
		const failure = await failureOf(connection.assets.download({ url: asset.url, freshUrl }));
		expect(freshUrl).toHaveBeenCalledTimes(1);
		expect(failure).toMatchObject({ facts: { status: 403 } });
		expect(JSON.stringify(failure) + String(failure)).not.toContain('X-Goog');
	});
});
