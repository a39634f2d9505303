import { until } from '../../support/until';
import { selfSignedCertificate } from '../support/certificate';
import { useHeldSockets } from '../support/heldSockets';
import { shown } from '../support/shown';
import { MARKER } from '../support/socketServer';

const { served, proxied, hold } = useHeldSockets();

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
const before = NAMES.map((name) => [name, process.env[name]] as const);
beforeEach(() => NAMES.forEach((name) => delete process.env[name]));
afterEach(() => before.forEach(([name, value]) => (value === undefined ? delete process.env[name] : (process.env[name] = value))));

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

test('a socket passes by the proxy when NO_PROXY names its host', async () => {
	const proxy = await proxied();
	const server = await served();
	Object.assign(process.env, { HTTP_PROXY: proxy.address, NO_PROXY: '127.0.0.1' });
	const { opened } = hold(server.url);
	await until(() => opened.mock.calls.length === 1);
	expect(proxy.tunnels).toEqual([]);
});

test('a rejection by the proxy differs from one by the service', async () => {
	const proxy = await proxied({ status: 403 });
	process.env.HTTP_PROXY = proxy.address;
	const failure = await hold(new URL(`ws://service.test/ws?token=${MARKER}`)).failure;
	expect(failure).toMatchObject({ trouble: 'refused', message: expect.stringContaining('PROXY_403') as string });
});

test('a proxy that never answers is dropped after the time limit', async () => {
	const proxy = await proxied({ status: 0 });
	process.env.HTTP_PROXY = proxy.address;
	const { failure } = hold(new URL('ws://service.test/ws'), { handshakeMs: 100 });
	expect(await failure).toMatchObject({ trouble: 'timeout' });
	expect(proxy.tunnels).toHaveLength(1);
	await until(() => proxy.connections() === 0);
});

test('a proxy with an invalid address is reported, and its password stays hidden', async () => {
	process.env.HTTP_PROXY = `http://user:${MARKER}@pro xy:1`;
	const failure = await hold(new URL('ws://service.test/ws')).failure;
	expect(failure).toMatchObject({ trouble: 'invalid_address' });
	expect(shown(failure)).not.toContain(MARKER);
});
