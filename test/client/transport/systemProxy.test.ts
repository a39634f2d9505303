import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { selfSignedCertificate } from '../support/certificate';
import { useHeldSockets } from '../support/heldSockets';
import { json } from '../support/server';
import { shown } from '../support/shown';
import { MARKER } from '../support/socketServer';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();
const { served, proxied, hold } = useHeldSockets();

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
const before = NAMES.map((name) => [name, process.env[name]] as const);
beforeEach(() => NAMES.forEach((name) => delete process.env[name]));
afterEach(() => before.forEach(([name, value]) => (value === undefined ? delete process.env[name] : (process.env[name] = value))));

const request = (origin: string, settings: object = {}) => client({ origin, ...settings }).request(get(`${origin}/jobs`));
const socket = (origin: string) => hold(new URL(`${origin.replace('http', 'ws')}/ws?token=${MARKER}`)).failure;

test.each(['HTTP_PROXY', 'ALL_PROXY'])('S4: a proxy named by %s carries plain http', async (name) => {
	const proxy = await server(json(200, { from: 'proxy' }));
	process.env[name] = proxy.origin;
	const response = await request('http://service.test', { credential: { authorization: 'Bearer t' } });
	await expect(response.json()).resolves.toEqual({ from: 'proxy' });
	expect(proxy.seen[0]).toMatchObject({ url: 'http://service.test/jobs', headers: { host: 'service.test', authorization: 'Bearer t' } });
});

test('a proxy tunnels https, under the certificate rules of the credential', async () => {
	const service = await server(json(200, { from: 'service' }), selfSignedCertificate());
	const proxy = await proxied();
	process.env.HTTPS_PROXY = proxy.address;
	await expect((await request(service.origin, { rejectUnauthorized: false })).json()).resolves.toEqual({ from: 'service' });
	expect(await failureOf(request(service.origin))).toMatchObject({ trouble: 'tls', mayHaveArrived: false });
	expect(proxy.tunnels).toEqual([new URL(service.origin).host, new URL(service.origin).host]);
});

test.each([
	['ws', 'HTTP_PROXY'],
	['wss', 'HTTPS_PROXY'],
	['wss', 'HTTP_PROXY'],
])('a proxy tunnels %s when %s names it', async (protocol, variable) => {
	const proxy = await proxied();
	const server = await served(protocol === 'wss' ? { tls: selfSignedCertificate() } : {});
	process.env[variable] = proxy.address;
	const { messages } = hold(server.url, {}, { rejectUnauthorized: false });
	await until(() => server.sockets.length === 1);
	server.sockets[0]?.send('through');
	await until(() => messages.length === 1);
	expect(proxy.tunnels).toEqual([server.url.host]);
	if (protocol === 'wss') expect(await hold(server.url).failure).toMatchObject({ trouble: 'tls' });
});

test.each([
	['is passed by', 'http', '.service.test', true],
	['is passed by', 'http', '*.service.test', true],
	['is passed by', 'https', 'a.service.test:443', true],
	['S4: is used', 'http', 'service.test', false],
])('the proxy %s for %s://a.service.test where NO_PROXY=%s, by requests and by sockets', async (_, scheme, noProxy, isPassedBy) => {
	const origin = `${scheme}://a.service.test`;
	const proxy = await server(json(200, { from: 'proxy' }));
	const tunnel = await proxied({ status: 403 });
	Object.assign(process.env, { HTTP_PROXY: proxy.origin, NO_PROXY: noProxy });
	if (isPassedBy) expect(await failureOf(request(origin))).toMatchObject({ trouble: 'dns' });
	else await expect((await request(origin)).json()).resolves.toEqual({ from: 'proxy' });
	process.env.HTTP_PROXY = tunnel.address;
	// A rejection by the proxy differs from one by the service.
	const failure = isPassedBy ? { trouble: 'dns' } : { trouble: 'refused', message: expect.stringContaining('PROXY_403') as string };
	expect(await socket(origin)).toMatchObject(failure);
});

test('one connection sends its requests through the proxy, and those to the storage that NO_PROXY names directly', async () => {
	const [proxy, storage] = await Promise.all(['proxy', 'storage'].map(async (from) => await server(json(200, { from }))));
	Object.assign(process.env, { HTTP_PROXY: proxy?.origin, NO_PROXY: '127.0.0.1' });
	const http = client({ origin: 'http://service.test' });
	for (const [origin, from] of Object.entries({ 'http://service.test': 'proxy', [String(storage?.origin)]: 'storage' }))
		await expect((await http.request(get(`${origin}/jobs`))).json()).resolves.toEqual({ from });
});

test('a proxy that never answers is dropped after the time limit', async () => {
	const proxy = await proxied({ status: 0 });
	process.env.HTTP_PROXY = proxy.address;
	const { failure } = hold(new URL('ws://service.test/ws'), { handshakeMs: 100 });
	expect(await failure).toMatchObject({ trouble: 'timeout' });
	expect(proxy.tunnels).toHaveLength(1);
	await until(() => proxy.connections() === 0);
});

test.each([
	['S4: with an address that is none', `http://user:${MARKER}@pro xy:1`],
	['of another kind', `socks5://user:${MARKER}@127.0.0.1:1`],
])('a proxy %s is reported by requests and by sockets, and its password stays hidden', async (_, address) => {
	process.env.HTTP_PROXY = address;
	for (const failure of [await failureOf(request('http://service.test')), await socket('http://service.test')]) {
		expect(failure).toMatchObject({ trouble: 'invalid_address' });
		expect(shown(failure)).not.toContain(MARKER);
	}
});
