import { inspect } from 'node:util';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { connect } from '../../../client';
import { failureOf } from '../support/bytes';
import { selfSignedCertificate } from '../support/certificate';
import { json } from '../support/server';
import { shown } from '../support/shown';
import { serveProxy } from '../support/socketServer';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();

test('P3: each request names the version of the package', async () => {
	const service = await server(json(200, {}));
	await (await client({ origin: service.origin }).request(get(service.origin))).json();
	const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
	expect(service.seen[0]?.headers['user-agent']).toBe(`n8n-nodes-comfy/${version}`);
});

test('an answer in more than three codings is not unpacked', async () => {
	const codings = (count: number) => ({
		'content-type': 'application/json',
		'content-encoding': Array.from({ length: count }, () => 'gzip').join(),
	});
	const packed = (count: number) => Array.from({ length: count }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('{"a":1}'));
	const service = await server(({ url }, response) => {
		const count = Number(url.slice(1));
		response.writeHead(200, codings(count)).end(packed(count));
	});
	const http = client({ origin: service.origin });
	const read = async (count: number) => await (await http.request(get(`${service.origin}/${count}`))).json();
	expect(await read(3)).toEqual({ a: 1 });
	expect(await failureOf(read(4))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
	expect(await failureOf(read(1_000))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
});

describe('a proxy in the environment', () => {
	const NAMES = ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'] as const;
	const before = NAMES.map((name) => [name, process.env[name]] as const);
	beforeEach(() => NAMES.forEach((name) => delete process.env[name]));
	afterEach(() => before.forEach(([name, value]) => (value === undefined ? delete process.env[name] : (process.env[name] = value))));

	test.each(['HTTP_PROXY', 'ALL_PROXY'])('S4: a proxy named by %s carries plain http', async (name) => {
		const proxy = await server(json(200, { from: 'proxy' }));
		process.env[name] = proxy.origin;
		const url = 'http://service.test/api/v2/jobs';
		const response = await client({ origin: 'http://service.test', credential: { authorization: 'Bearer t' } }).request(get(url));
		await expect(response.json()).resolves.toEqual({ from: 'proxy' });
		expect(proxy.seen[0]).toMatchObject({ url, headers: { host: 'service.test', authorization: 'Bearer t' } });
	});

	test('a proxy tunnels https, under the certificate rules of the credential', async () => {
		const service = await server(json(200, { from: 'service' }), selfSignedCertificate());
		const proxy = await serveProxy();
		process.env.HTTPS_PROXY = proxy.address;
		const careless = client({ origin: service.origin, rejectUnauthorized: false });
		await expect((await careless.request(get(service.origin))).json()).resolves.toEqual({ from: 'service' });
		const careful = client({ origin: service.origin });
		expect(await failureOf(careful.request(get(service.origin)))).toMatchObject({ trouble: 'tls', mayHaveArrived: false });
		expect(proxy.tunnels).toEqual([new URL(service.origin).host, new URL(service.origin).host]);
		await Promise.all([careless.close(), careful.close()]);
		await proxy.close();
	});

	test.each([
		['is passed by', '.service.test', 'dns'],
		['is passed by', '*.service.test', 'dns'],
		['S4: is used, as by sockets,', 'service.test', undefined],
	])('the proxy %s for a.service.test where NO_PROXY=%s', async (_, noProxy, trouble) => {
		const proxy = await server(json(200, { from: 'proxy' }));
		Object.assign(process.env, { HTTP_PROXY: proxy.origin, NO_PROXY: noProxy });
		const asked = client({ origin: 'http://a.service.test' }).request(get('http://a.service.test'));
		if (trouble === undefined) await expect((await asked).json()).resolves.toEqual({ from: 'proxy' });
		else expect(await failureOf(asked)).toMatchObject({ trouble });
	});

	test.each([
		['S4: with an address that is none', 'http://user:marker-4b@pro xy:1'],
		['of another kind', 'socks5://user:marker-4b@127.0.0.1:1'],
	])('a proxy %s is reported, and its password stays hidden', async (_, address) => {
		process.env.HTTP_PROXY = address;
		const asking = async () => {
			const connection = connect({ interface: 'v2', baseUrl: 'http://service.test', readBudgetMs: 0 });
			try {
				await connection.jobs.get('a');
			} finally {
				await connection.close();
			}
		};
		const failure = await failureOf(asking());
		expect(failure).toMatchObject({ trouble: 'invalid_address' });
		expect(shown(failure)).not.toContain('marker-4b');
	});
});

test('an error carries nothing of an answer that is no HTTP, because a link may stand in it', async () => {
	const service = await server((_request, response) => void response.socket?.end('HTTP/9 200 OK\r\nlocation: /x?sig=marker\r\n\r\n'));
	const failure = await failureOf(client({ origin: service.origin }).request(get(service.origin)));
	expect(failure).toMatchObject({ trouble: 'lost' });
	expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain('marker');
});
