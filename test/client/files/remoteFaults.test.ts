import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';

import { connect, type Connection, type ConnectSettings, type DownloadSource } from '../../../client';
import { setClock } from '../../../client/async/clock';
import { collect, failureOf, patterned } from '../support/bytes';
import { type Answer, json, type SeenRequest, serve, type TestServer } from '../support/server';
import { runFaster, setSpeed } from '../../support/fastClock';
import { until } from '../../support/until';
import { patientClock } from '../../support/patientClock';

runFaster(5);
const bytes = patterned(100_000);
let server: TestServer;
let connection: Connection;
let answer: Answer;

beforeEach(async () => {
	server = await serve((request, response) => answer(request, response));
	connection = connect({ interface: 'v2', baseUrl: server.origin, readBudgetMs: 300 });
});
afterEach(async () => {
	await connection.close();
	await server.close();
});

const download = async (rest: Partial<DownloadSource> = {}): Promise<Buffer> =>
	await collect((await connection.assets.download({ url: `${server.origin}/x`, ...rest })).bytes);
const offsetOf = ({ headers }: SeenRequest): number => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);

/** Sends a body, all of it or cut. */
const sending =
	(status: number, headers: Record<string, string | number>, body: Buffer, cutAfter = Infinity): Answer =>
	(_request, response) => {
		response.writeHead(status, headers);
		if (body.byteLength <= cutAfter) response.end(body);
		else response.write(body.subarray(0, cutAfter), () => response.socket?.destroySoon());
	};

const rangeOf = (start: number, length: number) => ({ 'content-range': `bytes ${start}-${length - 1}/${length}` });

/** The rest of the file from where it is asked for, as a sound server sends it. */
const rest =
	(headers: Record<string, string>, cutAfter = Infinity): Answer =>
	(request, response) => {
		const start = offsetOf(request);
		const told = { 'content-length': bytes.length - start, ...(start > 0 && rangeOf(start, bytes.length)), ...headers };
		return sending(start > 0 ? 206 : 200, told, bytes.subarray(start), cutAfter)(request, response);
	};

/** A part from so far behind the place that is asked for, of a file of this length. */
const part =
	(length: number, late = 0, headers?: object): Answer =>
	(request, response) => {
		const start = offsetOf(request) + late;
		return sending(206, { ...(headers ?? rangeOf(start, length)) }, Buffer.alloc(length - start))(request, response);
	};

/** The first answer is cut after 90,000 bytes, which take several reads of a socket; the second is this. */
const cutThen =
	(headers: Record<string, string>, second: Answer): Answer =>
	async (request, response) =>
		await (server.seen.length === 1 ? rest(headers, 90_000) : second)(request, response);

describe('D7: a file that a server encodes', () => {
	const encoded = { gzip: gzipSync(bytes), deflate: deflateSync(bytes), br: brotliCompressSync(bytes) };

	it('D7: a file is requested without a coding', async () => {
		answer = rest({});
		await download();
		expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
	});

	it.each(Object.keys(encoded) as Array<keyof typeof encoded>)(
		'D7: a file in the coding %s is decoded, its size known or not',
		async (coding) => {
			answer = sending(200, { 'content-encoding': coding }, encoded[coding]);
			expect((await download()).equals(bytes)).toBe(true);
			answer = sending(200, { 'content-encoding': coding, 'content-length': encoded[coding].length }, encoded[coding]);
			expect((await download({ sizeBytes: bytes.length })).equals(bytes)).toBe(true);
		},
	);

	it('D7: a coded file that is cut is read from its beginning', async () => {
		const headers = { 'content-encoding': 'gzip', 'content-length': encoded.gzip.length, etag: '"1"' };
		answer = async (request, response) =>
			await sending(200, headers, encoded.gzip, server.seen.length === 1 ? 40_000 : Infinity)(request, response);
		expect((await download()).equals(bytes)).toBe(true);
		expect(server.seen.map(({ headers: { range } }) => range)).toEqual([undefined, undefined]);
	});
});

describe('D8: a file in two parts', () => {
	it.each([
		['is requested under its strong tag', '"1"', '"1"', '"1"'],
		['is requested without its weak tag, which does not tell two files apart', 'W/"1"', 'W/"2"', undefined],
	])('D8: the rest of a file %s', async (_, tag, later, requested) => {
		answer = cutThen({ etag: tag }, rest({ etag: later }));
		expect((await download()).equals(bytes)).toBe(true);
		expect(server.seen[1]?.headers.range).toMatch(/^bytes=\d+-$/);
		expect(server.seen[1]?.headers['if-range']).toBe(requested);
	});

	const otherSize = { name: 'IntegrityError', what: 'size', expected: '100000', actual: '150000' };
	const unexpected = { facts: { reason: 'unexpected' } };
	it.each<[string, Answer, object]>([
		[
			'a file with another tag',
			sending(200, { etag: '"2"', 'content-length': bytes.length }, bytes),
			{ name: 'IntegrityError', what: 'version', expected: '"1"', actual: '"2"' },
		],
		['a part of a longer file', part(150_000), otherSize],
		['a whole file of another length', sending(200, { 'content-length': 150_000 }, Buffer.alloc(150_000)), otherSize],
		['a part that does not say where it begins', part(bytes.length, 0, {}), unexpected],
		['a part that begins too late', part(bytes.length, 1), unexpected],
		['another success', json(202, { state: 'pending' }), unexpected],
	])('D8: a file is never completed by %s', async (_, second, failure) => {
		answer = cutThen({ etag: '"1"' }, second);
		expect(await failureOf(download())).toMatchObject(failure);
	});
});

it.each<[string, Answer, object]>([
	['a success without a file', json(202, { state: 'pending' }), { reason: 'unexpected', status: 202 }],
	[
		'an empty answer without a length',
		sending(200, { 'transfer-encoding': 'chunked' }, Buffer.alloc(0)),
		{ reason: 'truncated', status: 200 },
	],
])('D8: %s is no file', async (_, given, facts) => {
	answer = given;
	expect(await failureOf(download())).toMatchObject({ facts });
});

describe('a storage that misbehaves', () => {
	it('a download skips what it has when the server ignores Range', async () => {
		answer = cutThen({}, sending(200, { 'content-length': bytes.length }, bytes));
		expect((await download({ sizeBytes: bytes.length })).equals(bytes)).toBe(true);
		expect(server.seen[1]?.headers.range).toMatch(/^bytes=\d+-$/);
	});

	it.each<[string, (request: SeenRequest) => number]>([
		['brings one byte', () => 1],
		['after the first brings nothing', (request) => (offsetOf(request) === 0 ? 10_000 : 0)],
	])('D8: a download ends after some tries when each connection %s', async (_, cutAfter) => {
		answer = async (request, response) => await rest({ etag: '"1"' }, cutAfter(request))(request, response);
		expect(await failureOf(download())).toMatchObject({ trouble: 'lost' });
		expect(server.seen.length).toBeGreaterThan(3);
		expect(server.seen.length).toBeLessThan(12);
	});

	it('a download is completed over many cuts', async () => {
		answer = rest({ etag: '"1"' }, 15_000);
		expect((await download()).equals(bytes)).toBe(true);
		expect(server.seen).toHaveLength(7);
	});

	it('a download continues when the connection closes early and the size is known', async () => {
		answer = (request, response) => {
			if (server.seen.length > 1) return rest({})(request, response);
			response.removeHeader('transfer-encoding');
			response.useChunkedEncodingByDefault = false;
			response.writeHead(200, { connection: 'close' }).end(bytes.subarray(0, 30_000));
		};
		expect((await download({ sizeBytes: bytes.length })).equals(bytes)).toBe(true);
	});

	it('a reader that leaves early leaves no connection open', async () => {
		let isClosed = false;
		answer = (_request, response) => {
			response.on('close', () => (isClosed = true));
			response.writeHead(200, { 'content-length': 10 * 1024 * 1024 }).write(bytes);
		};
		const reader = (await connection.assets.download({ url: `${server.origin}/x` })).bytes[Symbol.asyncIterator]();
		await reader.next();
		await reader.return?.();
		await until(() => isClosed);
	});

	it.each<[status: number, requestsToStorage: number, requestsToService: number]>([
		[400, 2, 1],
		[404, 2, 2],
		[410, 2, 2],
		[405, 1, 1],
		[416, 1, 1],
	])('a fresh link is requested after %d: %d requests to a storage, %d to the service', async (status, ...expected) => {
		const storage = connect({ interface: 'v2', baseUrl: 'http://127.0.0.1:1', readBudgetMs: 0 });
		answer = json(status, {});
		const requests = [];
		for (const { assets } of [storage, connection]) {
			server.seen.splice(0);
			const url = `${server.origin}/x`;
			await failureOf(assets.download({ url, freshUrl: async () => await Promise.resolve(`${url}/fresh`) }));
			requests.push(server.seen.length);
		}
		await storage.close();
		expect(requests).toEqual(expected);
	});

	it.each(['', 'file:///etc/passwd'])('F9: the link %j is refused, and not as an address that was entered', async (url) => {
		await expect(connection.assets.download({ url })).rejects.toMatchObject({ trouble: 'not_web' });
	});
});

describe('F7: a slow download', () => {
	/** Sends so many bytes, in pieces of this size. */
	const dripping =
		(pieceBytes: number, everyMs: number, totalBytes: number): Answer =>
		async (_request, response) => {
			response.writeHead(200, { 'content-length': totalBytes });
			for (let sent = 0; sent < totalBytes && !response.destroyed; sent += pieceBytes) {
				response.write(bytes.subarray(sent, Math.min(sent + pieceBytes, totalBytes)));
				await sleep(everyMs);
			}
			response.end();
		};
	afterEach(() => setSpeed(5));
	const connectWith = async (limits: ConnectSettings['limits']): Promise<void> => {
		await connection.close();
		connection = connect({ interface: 'v2', baseUrl: server.origin, readBudgetMs: 300, limits });
	};

	it('F7: fails after a minute in which less than 1 KiB per second came', async () => {
		answer = dripping(1, 100, bytes.length);
		const startedAt = performance.now();
		const elapsedMs = () => (performance.now() - startedAt) * 100;
		setClock({ ...patientClock, realNow: elapsedMs });
		expect(await failureOf(download())).toMatchObject({ name: 'ConnectionError', trouble: 'too_slow', origin: server.origin });
		expect(elapsedMs()).toBeGreaterThan(60_000);
		expect(server.seen).toHaveLength(1);
	});

	it('F7: goes on while the server sends more than the least rate', async () => {
		await connectWith({ downloadSlowMs: 100 });
		answer = dripping(200, 20, 4_000);
		expect((await download()).equals(bytes.subarray(0, 4_000))).toBe(true);
	});

	it('F7: goes on however long the reader pauses', async () => {
		await connectWith({ downloadSlowMs: 200 });
		answer = dripping(10, 150, 60);
		const chunks: Uint8Array[] = [];
		for await (const chunk of (await connection.assets.download({ url: `${server.origin}/x` })).bytes) {
			chunks.push(Buffer.from(chunk));
			await sleep(300);
		}
		expect(Buffer.concat(chunks).equals(bytes.subarray(0, 60))).toBe(true);
	});
});
