import { until } from '../../support/until';
import { assetRecords, connect, type Connection, type DownloadSource } from '../../../client';
import { chunksOf, collect, failureOf, patterned } from '../support/bytes';
import { useSandbox } from '../support/sandbox';
import { serve, type Answer, type SeenRequest, type TestServer } from '../support/server';
import { runFaster } from '../../support/fastClock';

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

describe('a storage that misbehaves', () => {
	runFaster(5);
	const bytes = patterned(100_000);
	let server: TestServer;
	let connection: Connection;
	let answer: Answer;

	beforeEach(async () => {
		server = await serve((request, response) => answer(request, response));
		connection = connect({ interface: 'v2', baseUrl: 'http://127.0.0.1:1', readBudgetMs: 300 });
	});
	afterEach(async () => {
		await connection.close();
		await server.close();
	});

	const offset = ({ headers }: SeenRequest): number => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
	const part =
		(cutAfter: number, { etag = '"1"', ranges = true } = {}): Answer =>
		(request, response) => {
			const start = ranges ? offset(request) : 0;
			const rest = bytes.subarray(start);
			const range = start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
			response.writeHead(start > 0 ? 206 : 200, { etag, 'content-length': rest.length, ...range });
			if (rest.length <= cutAfter) response.end(rest);
			else response.write(rest.subarray(0, cutAfter), () => response.socket?.destroySoon());
		};
	const source = (rest: Partial<DownloadSource> = {}): DownloadSource => ({ url: `${server.origin}/x`, ...rest });

	test('that ignores Range: what was delivered is skipped', async () => {
		answer = (request, response) => part(server.seen.length === 1 ? 60_000 : Infinity, { ranges: false })(request, response);
		expect((await read(connection, source({ sizeBytes: bytes.length }))).equals(bytes)).toBe(true);
		expect(server.seen[1]?.headers.range).toMatch(/^bytes=\d+-$/);
	});

	test('that serves another file after the cut: an error, not a mixture', async () => {
		answer = (request, response) => part(50_000, { etag: `"${server.seen.length}"` })(request, response);
		await expect(read(connection, source())).rejects.toMatchObject({ name: 'IntegrityError', expected: '"1"', actual: '"2"' });
	});

	test('that never gets further: a bounded number of tries', async () => {
		answer = (request, response) => part(offset(request) === 0 ? 10_000 : 0)(request, response);
		await expect(read(connection, source())).rejects.toMatchObject({ trouble: 'lost' });
		expect(server.seen.length).toBeGreaterThan(3);
		expect(server.seen.length).toBeLessThan(12);
	});

	test('that cuts again and again, but gets further: all of it', async () => {
		answer = part(15_000);
		expect((await read(connection, source())).equals(bytes)).toBe(true);
		expect(server.seen).toHaveLength(7);
	});

	test('that holds fewer or more bytes than announced', async () => {
		answer = part(Infinity);
		await expect(read(connection, source({ sizeBytes: bytes.length - 1 }))).rejects.toMatchObject({
			what: 'size',
			actual: String(bytes.length),
		});
		await expect(read(connection, source({ sizeBytes: bytes.length + 1 }))).rejects.toMatchObject({
			what: 'size',
			actual: String(bytes.length),
		});
	});

	test('that holds other bytes than announced', async () => {
		answer = part(Infinity);
		const hash = `blake3:${'0'.repeat(64)}`;
		await expect(read(connection, source({ hash }))).rejects.toMatchObject({ what: 'hash', expected: hash });
	});

	test('a hash of another kind is no check', async () => {
		answer = part(Infinity);
		expect(await read(connection, source({ hash: 'sha256:00' }))).toHaveLength(bytes.length);
	});

	test('that closes the connection in place of an end, when the size is known', async () => {
		answer = (request, response) => {
			if (server.seen.length > 1) return part(Infinity)(request, response);
			response.removeHeader('transfer-encoding');
			response.useChunkedEncodingByDefault = false;
			response.writeHead(200, { connection: 'close' }).end(bytes.subarray(0, 30_000));
		};
		expect((await read(connection, source({ sizeBytes: bytes.length }))).equals(bytes)).toBe(true);
	});

	test('a consumer that leaves early leaves no connection behind', async () => {
		const closed = jest.fn();
		answer = (_request, response) => {
			response.on('close', closed);
			response.writeHead(200, { 'content-length': 10 * MIB }).write(bytes);
		};
		const { bytes: chunks } = await connection.assets.download(source());
		const reader = chunks[Symbol.asyncIterator]();
		await reader.next();
		await reader.return?.();
		await until(() => closed.mock.calls.length > 0);
	});

	test('a link that is none', async () => {
		await expect(connection.assets.download({ url: '' })).rejects.toMatchObject({ trouble: 'invalid_address' });
		await expect(connection.assets.download({ url: 'file:///etc/passwd' })).rejects.toMatchObject({ trouble: 'invalid_address' });
	});
});
