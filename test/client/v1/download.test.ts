import { connect, type Connection, type JobOutput } from '../../../client';
import { collect, failureOf, patterned } from '../support/bytes';
import { largeFileGraph, quickGraph } from '../support/graphs';
import { useSandbox } from '../support/sandbox';
import { serve } from '../support/server';
import { finished, VIEW } from '../support/v1';
import { runFaster } from '../../support/fastClock';

runFaster(5);
const MIB = 1024 * 1024;
const BLOB = 'GET /blobs/:id';
const harness = useSandbox();
afterEach(() => harness.sandbox.configure({ v1View: 'redirect', expiredLinkStatus: 400 }));

let seeds = 0;
async function stored(connection: Connection, graph = largeFileGraph(3, ++seeds)): Promise<JobOutput & { url: string }> {
	const [output] = (await finished(connection, graph)).outputs;
	if (!output) throw new Error('No output');
	harness.sandbox.resetRecords();
	return { ...output, url: String(output.url) };
}
const read = async (connection: Connection, url: string): Promise<Buffer> =>
	await collect((await connection.assets.download({ url })).bytes);

test('302: storage serves the bytes, and sees no credential and no other header of ours', async () => {
	const connection = harness.connectV1();
	const output = await stored(connection, quickGraph());
	const download = await connection.assets.download({ url: output.url, contentType: output.content_type });
	expect((await collect(download.bytes)).subarray(1, 4).toString()).toBe('PNG');
	expect(download.contentType).toBe('image/png');
	const [view] = harness.sandbox.requests(VIEW);
	expect([view?.status, view?.headers['x-api-key']]).toEqual([302, harness.sandbox.keys.apiKey]);
	const [blob] = harness.sandbox.requests(BLOB);
	expect(Object.keys(blob?.headers ?? {}).sort()).toEqual(['connection', 'host']);
	expect(blob?.url + (blob?.query ?? '')).not.toContain(harness.sandbox.keys.apiKey);
});

test('200: the bytes come at once', async () => {
	harness.sandbox.configure({ v1View: 'inline' });
	const connection = harness.connectV1();
	const output = await stored(connection, quickGraph(1));
	expect((await read(connection, output.url)).subarray(1, 4).toString()).toBe('PNG');
	expect(harness.sandbox.requests(VIEW).map(({ status }) => status)).toEqual([200]);
	expect(harness.sandbox.requests(BLOB)).toHaveLength(0);
});

test('temporary files of previews', async () => {
	const connection = harness.connectV1();
	const graph = { ...quickGraph(2), '2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } } };
	const output = await stored(connection, graph);
	expect(output.file_reference).toMatchObject({ type: 'temp' });
	expect(new URL(output.url).searchParams.get('type')).toBe('temp');
	expect(await read(connection, output.url)).not.toHaveLength(0);
});

test.each(['redirect', 'inline'] as const)('a download (%s) cut in the middle goes on where it stopped', async (v1View) => {
	const connection = harness.connectV1();
	const { url } = await stored(connection);
	const whole = await read(connection, url);
	harness.sandbox.configure({ v1View });
	harness.sandbox.resetRecords();
	harness.sandbox.inject({ on: v1View === 'inline' ? VIEW : BLOB, times: 2, fault: { kind: 'truncate', afterBytes: MIB } });
	expect((await read(connection, url)).equals(whole)).toBe(true);
	const served = harness.sandbox.requests(v1View === 'inline' ? VIEW : BLOB);
	expect(served.map(({ status }) => status)).toEqual([200, 206, 206]);
	expect(served.reduce((sum, { responseBytes }) => sum + responseBytes, 0)).toBeLessThanOrEqual(whole.length + MIB);
});

describe('a signed link that has expired', () => {
	test.each([400, 403] as const)('(%d) is replaced by asking the view link again', async (expiredLinkStatus) => {
		harness.sandbox.configure({ expiredLinkStatus });
		const connection = harness.connectV1();
		const { url } = await stored(connection);
		harness.sandbox.inject({ on: VIEW, fault: { kind: 'expired_link' } });
		expect(await read(connection, url)).toHaveLength(3 * MIB);
		expect(harness.sandbox.requests(VIEW)).toHaveLength(2);
		expect(harness.sandbox.requests(BLOB).map(({ status }) => status)).toEqual([expiredLinkStatus, 200]);
	});

	test('in the middle of a download', async () => {
		const connection = harness.connectV1();
		const { url } = await stored(connection);
		harness.sandbox.inject({ on: BLOB, fault: { kind: 'truncate', afterBytes: MIB } });
		harness.sandbox.inject({ on: BLOB, fault: { kind: 'expired_link' } });
		expect(await read(connection, url)).toHaveLength(3 * MIB);
	});

	test('again and again is an error without the link', async () => {
		const connection = harness.connectV1();
		const { url } = await stored(connection, quickGraph(3));
		harness.sandbox.inject({ on: BLOB, times: Infinity, fault: { kind: 'expired_link' } });
		const failure = await failureOf(connection.assets.download({ url }));
		expect(failure).toMatchObject({ facts: { status: 400 } });
		expect(JSON.stringify(failure) + String(failure)).not.toContain('X-Goog');
		expect(harness.sandbox.requests(VIEW)).toHaveLength(2);
	});
});

test('a file the service does not have', async () => {
	const connection = harness.connectV1();
	const url = `${harness.sandbox.urls.hosted}/api/view?filename=none.png&subfolder=&type=output`;
	await expect(connection.assets.download({ url })).rejects.toMatchObject({ interface: 'v1', code: 'not_found', status: 404 });
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
		response
			.writeHead(200, { 'content-type': 'application/json' })
			.end(JSON.stringify({ status: 'success', outputs: { '1': { images: [file] } } }));
	});
	const connection = connect({ interface: 'v1', baseUrl: `${server.origin}/gateway/` });
	const { outputs } = await connection.jobs.get('a');
	expect(await read(connection, String(outputs[0]?.url))).toEqual(bytes);
	expect(asked).toEqual([file]);
	await Promise.all([connection.close(), server.close()]);
});
