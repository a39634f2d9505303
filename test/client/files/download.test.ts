/** Downloads of each interface from the sandbox: by a link that redirects to storage, or with the bytes at once. */
import { assetRecords, connect, type Connection, type DownloadSource } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { chunksOf, collect, failureOf, patterned } from '../support/bytes';
import { quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { serve } from '../support/server';
import { finished, VIEW } from '../support/v1';

runFaster(5);
const MIB = 1024 * 1024;
const BLOB = 'GET /blobs/:id';
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ expiredLinkStatus: 400 }));

const read = async (connection: Connection, source: DownloadSource): Promise<Buffer> =>
	await collect((await connection.assets.download(source)).bytes);
const statusesOf = (on: string) => harness.sandbox.requests(on).map(({ status }) => status);

/** The file of a job over v1. */
async function madeFile() {
	const connection = harness.connectV1();
	const [output] = (await finished(connection, quickGraph(3))).outputs;
	harness.sandbox.resetRecords();
	return { connection, source: { url: String(output?.url), contentType: output?.content_type } };
}

/** A file that was uploaded over v2. */
async function storedFile(bytes: Buffer, settings = {}) {
	const connection = harness.connect('hosted', settings);
	const upload = { open: () => chunksOf(bytes), sizeBytes: bytes.length, contentType: 'image/png' };
	const { asset } = await connection.assets.upload(upload, { filePath: 'x.png' });
	const freshUrl = jest.fn(async () => String((await assetRecords(connection).get(String(asset.id))).url));
	return { connection, freshUrl, source: { url: String(asset.url), sizeBytes: asset.size_bytes, hash: asset.hash, freshUrl } };
}

test('a web page is the file if a web page is expected', async () => {
	const page = '<!doctype html><p>result';
	const server = await serve(
		(_request, response) => void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page),
	);
	const connection = connect({ interface: 'v1', baseUrl: server.origin });
	const url = `${server.origin}/page.html`;
	expect(String(await read(connection, { url, contentType: 'text/html' }))).toBe(page);
	expect(await failureOf(read(connection, { url, contentType: 'image/png' }))).toMatchObject({ facts: { reason: 'html' } });
	await connection.close();
	await server.close();
});

describe('a signed link that has expired', () => {
	test('T2: that expires twice in one download is replaced twice, and the hash of all parts is checked in any case of its letters', async () => {
		const times = 2;
		const bytes = patterned(3 * MIB);
		const { connection, source, freshUrl } = await storedFile(bytes);
		for (let expiry = 1; expiry <= times; expiry++) {
			harness.sandbox.inject({ on: BLOB, fault: { kind: 'truncate', afterBytes: MIB / expiry } });
			harness.sandbox.inject({ on: BLOB, fault: { kind: 'expired_link' } });
		}
		const [kind, digits] = String(source.hash).split(':');
		const hash = `${kind}:${digits?.toUpperCase()}`;
		expect((await read(connection, { ...source, hash })).equals(bytes)).toBe(true);
		expect(freshUrl).toHaveBeenCalledTimes(times);
	});

	test('a link that stays expired is reported without its query', async () => {
		const made = await madeFile();
		const stored = await storedFile(patterned(1_000));
		for (const [{ connection, source }, status] of [
			[made, 400],
			[stored, 403],
		] as const) {
			harness.sandbox.configure({ expiredLinkStatus: status });
			harness.sandbox.inject({ on: BLOB, times: Infinity, fault: { kind: 'expired_link' } });
			const failure = await failureOf(connection.assets.download(source));
			expect(failure).toMatchObject({ facts: { status } });
			expect(JSON.stringify(failure) + String(failure)).not.toContain('X-Goog');
			harness.sandbox.clearFaults();
		}
		expect([statusesOf(VIEW).length, stored.freshUrl.mock.calls.length]).toEqual([2, 1]);
	});
});

test('a file’s name may hold anything', async () => {
	const bytes = patterned(100);
	const file = { filename: 'a b&c=ü#?+%2f.png', subfolder: 'x/y', type: 'output' };
	const asked: Array<Record<string, string>> = [];
	const server = await serve(({ url }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
		if (pathname === '/gateway/api/view') {
			asked.push(Object.fromEntries(searchParams));
			return void response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
		}
		const job = { status: 'success', outputs: { '1': { images: [file] } } };
		response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(job));
	});
	const connection = connect({ interface: 'v1', baseUrl: `${server.origin}/gateway/` });
	const { outputs } = await connection.jobs.get('a');
	expect(await read(connection, { url: String(outputs[0]?.url) })).toEqual(bytes);
	expect(asked).toEqual([file]);
	await Promise.all([connection.close(), server.close()]);
});
