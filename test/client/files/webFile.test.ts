import { setTimeout as sleep } from 'node:timers/promises';

import { openWebFile, type WebFile, WebFileError, type WebFileOptions } from '../../../client';
import { collect, failureOf, patterned } from '../support/bytes';
import { selfSignedCertificate } from '../support/certificate';
import { picture } from '../support/pictures';
import { type Answer, deadOrigin, json, type TestServer } from '../support/server';
import { useTransport } from '../support/transport';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';

const MARKER = 'marker-of-the-service-5e1d';
const transport = useTransport();
const opened: WebFile[] = [];
afterEach(async () => {
	await Promise.all(opened.splice(0).map(async (file) => await file.close()));
});

const quick = { readBudgetMs: 1_000, downloadIdleMs: 3_000 };
const open = async (address: string, options: Partial<WebFileOptions> = {}): Promise<WebFile> => {
	const file = await openWebFile(address, { largestBytes: 1_000_000, limits: quick, ...options });
	opened.push(file);
	return file;
};
const contentOf = async ({ source }: WebFile): Promise<Buffer> => await collect(await source.open());
const factsOf = async (promise: Promise<unknown>): Promise<unknown> => {
	const error = await failureOf(promise);
	expect(error).toBeInstanceOf(WebFileError);
	return (error as WebFileError).facts;
};
const sending =
	(body: Uint8Array | string, headers: Record<string, string> = {}, status = 200): Answer =>
	(_request, response) =>
		void response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers }).end(body);
const chunked =
	(body: Uint8Array | string): Answer =>
	(_request, response) =>
		void response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(body);
const redirect =
	(location: string): Answer =>
	(_request, response) =>
		void response.writeHead(302, { location }).end();

/** Sends without end, as fast as it is received. */
function flood(headers: Record<string, string> = {}) {
	const sent = { bytes: 0, isOver: false };
	const chunk = Buffer.alloc(64 * 1024, 1);
	const answer: Answer = (_request, response) => {
		const more = () => {
			while (!response.destroyed && response.write(chunk)) sent.bytes += chunk.length;
		};
		response.on('close', () => (sent.isOver = true)).on('drain', more);
		response.writeHead(200, headers);
		more();
	};
	return { answer, sent };
}

describe('a file on the web', () => {
	let png: Buffer;
	beforeAll(async () => {
		png = Buffer.concat([await picture(0x4080c0, 64), patterned(300_000)]);
	});

	it('has the type of its bytes, the reported size and the name that its server gives, and is fetched once for each read', async () => {
		const { origin, seen } = await transport.server(
			sending(png, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename="Katze.png"' }),
		);
		const file = await open(`${origin}/download?id=7`, { kind: 'image' });
		expect([file.fileName, file.source.contentType, file.source.sizeBytes]).toEqual(['Katze.png', 'image/png', png.length]);
		for (const times of [1, 2]) {
			expect((await contentOf(file)).equals(png)).toBe(true);
			expect(seen).toHaveLength(times);
		}
	});

	it.each([
		['its server reports the size', sending],
		['its size shows only at its end', chunked],
	])('may be as large as the limit when %s', async (_, answer) => {
		const { origin } = await transport.server(answer(png));
		const file = await open(`${origin}/a.png`, { largestBytes: png.length });
		expect((await contentOf(file)).equals(png)).toBe(true);
	});

	it('is named by its address where its server names nothing, and has no known size', async () => {
		const { origin } = await transport.server(chunked(png));
		const file = await open(`  ${origin}/pets/gro%C3%9Fe%20Katze.png?sig=${MARKER}#x `);
		expect([file.fileName, file.source.sizeBytes]).toEqual(['große Katze.png', undefined]);
		expect((await contentOf(file)).equals(png)).toBe(true);
	});
});

describe('who is told what', () => {
	it('user and password of an address go to its origin only, and no request has other credentials', async () => {
		const elsewhere = await transport.server(sending(patterned(10)));
		const { origin, seen } = await transport.server(redirect(`${elsewhere.origin}/there`));
		await contentOf(await open(`${origin.replace('//', '//me:se%20cret%2@')}/here`));
		expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:se%20cret%2').toString('base64')}`);
		expect(elsewhere.seen[0]?.headers).not.toHaveProperty('authorization');
		for (const { headers } of [...seen, ...elsewhere.seen])
			expect(headers).toMatchObject({ 'user-agent': expect.stringMatching(/^n8n-nodes-comfy\//) as string, 'accept-encoding': 'identity' });
	});
});

describe('nothing is sent on of', () => {
	runFaster(5);
	const page = '<!doctype html><title>Sign in</title>';
	const LIMITED = { largestBytes: 2_000 };
	const UNREACHABLE = { fault: 'unreachable' };
	it.each<[string, Answer, Partial<WebFileOptions>, object]>([
		['a web page where a picture is meant', sending(page, { 'content-type': 'image/png' }), { kind: 'image' }, { fault: 'web_page' }],
		['a web page where any file is meant', sending(page), { kind: 'any' }, { fault: 'web_page' }],
		['a text', sending('Not found'), { kind: 'mask' }, { fault: 'wrong_kind', kind: 'mask', contentType: 'text/plain' }],
		['an empty file', sending(''), {}, { fault: 'empty' }],
		['an empty answer of no known size', chunked(''), {}, { fault: 'empty' }],
		['an answer without a body', (_request, response) => void response.writeHead(204).end(), {}, { fault: 'refused', status: 204 }],
		['a server that stays busy', json(503, {}), {}, { fault: 'refused', status: 503 }],
		['a file that is too large', sending(patterned(2_001)), LIMITED, { fault: 'too_large', limitBytes: 2_000, sizeBytes: 2_001 }],
		[
			'a file that turns out to be too large',
			chunked(patterned(6_000)),
			LIMITED,
			{ fault: 'too_large', limitBytes: 2_000, sizeBytes: null },
		],
		['a circle of redirects', redirect('/again'), {}, { fault: 'redirects' }],
		['a redirect to no web address', redirect('file:///etc/passwd'), {}, { ...UNREACHABLE, trouble: 'not_web', origin: 'file:' }],
		['a server that hangs up', (_request, response) => void response.socket?.destroy(), {}, { ...UNREACHABLE, trouble: 'lost' }],
		['a silent server', () => undefined, {}, { ...UNREACHABLE, trouble: 'timeout' }],
	])(
		'%s',
		async (_, answer, options, facts) => {
			const { origin } = await transport.server(answer);
			const address = `${origin}/a.png?sig=${MARKER}`;
			const error = await failureOf(open(address, options));
			expect(error).toMatchObject({ name: 'WebFileError', address: `${origin}/a.png`, facts });
			expect(JSON.stringify([error, String(error), String((error as Error).cause)])).not.toContain(MARKER);
		},
		15_000,
	);

	it('but a web page where its address says so', async () => {
		const { origin } = await transport.server(sending(page));
		expect((await contentOf(await open(`${origin}/page.html`, { kind: 'any' }))).toString()).toBe(page);
	});

	it.each(['', 'cat.png', 'ftp://127.0.0.1/cat.png', 'file:///etc/passwd', 'data:image/png;base64,AA=='])(
		'what is no web address: %s',
		async (address) => {
			expect(await factsOf(open(address))).toEqual({ fault: 'bad_address' });
		},
	);

	it('an address where nothing answers, and one with an unknown certificate', async () => {
		const dead = await deadOrigin();
		expect(await factsOf(open(`${dead}/a.png`))).toEqual({ fault: 'unreachable', trouble: 'refused', origin: dead });
		const secure = await transport.server(sending('x'), selfSignedCertificate());
		expect(await factsOf(open(`${secure.origin}/a.png`))).toEqual({ fault: 'unreachable', trouble: 'tls', origin: secure.origin });
		expect(await factsOf(open('http://no-such-host.invalid/a.png'))).toMatchObject({ fault: 'unreachable', trouble: 'dns' });
	});

	it('a file without end: it is received as far as the limit', async () => {
		const { answer, sent } = flood();
		const { origin } = await transport.server(answer);
		const file = await open(`${origin}/a.bin`, { largestBytes: 4_000_000 });
		expect(await factsOf(contentOf(file))).toEqual({ fault: 'too_large', limitBytes: 4_000_000, sizeBytes: null });
		await file.close();
		await until(() => sent.isOver);
		expect(sent.bytes).toBeLessThan(30_000_000);
	});

	it('a file that changes while it comes', async () => {
		const server: TestServer = await transport.server((_request, response) => {
			response.writeHead(200, { 'content-length': 100_000, etag: `"${server.seen.length}"` });
			response.write(patterned(10_000), () => response.socket?.destroySoon());
		});
		expect(await factsOf(open(`${server.origin}/a.bin`).then(contentOf))).toEqual({ fault: 'changed' });
	});
});

it('a second read obeys the limit as well, although the file has grown since', async () => {
	const server: TestServer = await transport.server((request, response) =>
		sending(patterned(server.seen.length === 1 ? 1_000 : 3_000))(request, response),
	);
	const file = await open(`${server.origin}/a.bin`, { largestBytes: 2_000 });
	expect(await contentOf(file)).toHaveLength(1_000);
	expect(await factsOf(contentOf(file))).toEqual({ fault: 'too_large', limitBytes: 2_000, sizeBytes: 3_000 });
});

it('a look at a large file leaves the rest where it is, and closing ends the connection', async () => {
	const { answer, sent } = flood({ 'content-length': '500000000' });
	const { origin } = await transport.server(answer);
	const file = await open(`${origin}/a.bin`, { largestBytes: 1_000_000_000 });
	await sleep(200);
	expect(sent.bytes).toBeLessThan(20_000_000);
	await file.close();
	await until(() => sent.isOver);
});

it('a stop ends it', async () => {
	const { origin } = await transport.server(() => undefined);
	const stop = new AbortController();
	setTimeout(() => stop.abort(), 50);
	expect(await failureOf(open(`${origin}/a.png`, { signal: stop.signal }))).toMatchObject({ name: 'StoppedError' });
});
