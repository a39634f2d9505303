import { type ConnectionError, StoppedError } from '../../../client';
import { HttpClient, type HttpRequest, type HttpSettings } from '../../../client/transport/http';
import { chunksOf, collect, failureOf } from '../support/bytes';
import { selfSignedCertificate } from '../support/certificate';
import { deadOrigin, json, serve, type Answer, type TestServer } from '../support/server';

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
	await Promise.all(open.splice(0).map((one) => one.close()));
});

async function server(...[answer, tls]: Parameters<typeof serve>): Promise<TestServer> {
	const started = await serve(answer, tls);
	open.push(started);
	return started;
}

function client(settings: HttpSettings): HttpClient {
	const made = new HttpClient(settings);
	open.push(made);
	return made;
}

const get = (url: string, rest: Partial<HttpRequest> = {}): HttpRequest => ({ method: 'GET', url: new URL(url), ...rest });
const never: Answer = () => undefined;

test('the token goes to its own origin only, on redirects too, while Range goes along', async () => {
	const storage = await server(json(200, 'bytes'));
	const service = await server((_request, response) => void response.writeHead(302, { location: `${storage.origin}/blob?sig=1` }).end());
	const http = client({ origin: service.origin, token: 'secret' });
	const response = await http.request(get(`${service.origin}/content`, { headers: { range: 'bytes=5-', accept: 'image/png' } }));
	await response.discard();
	expect(service.seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', range: 'bytes=5-', accept: 'image/png' });
	expect(storage.seen[0]?.headers.range).toBe('bytes=5-');
	expect(Object.keys(storage.seen[0]?.headers ?? {}).sort()).toEqual(['connection', 'host', 'range']);
	expect(storage.seen[0]?.url).toBe('/blob?sig=1');
});

test('a redirect on the same origin keeps the token', async () => {
	const service = await server((request, response) => {
		if (request.url === '/a') response.writeHead(307, { location: '/b' }).end();
		else json(200, {})(request, response);
	});
	await (await client({ origin: service.origin, token: 'secret' }).request(get(`${service.origin}/a`))).discard();
	expect(service.seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/a', 'Bearer secret'], ['/b', 'Bearer secret']]);
});

test('a POST is never redirected', async () => {
	const service = await server((_request, response) => void response.writeHead(307, { location: '/b' }).end());
	const response = await client({ origin: service.origin }).request({ method: 'POST', url: new URL(service.origin), body: '{}' });
	await response.discard();
	expect(response.status).toBe(307);
	expect(service.seen).toHaveLength(1);
});

test('endless redirects end', async () => {
	const service = await server((_request, response) => void response.writeHead(302, { location: '/again' }).end());
	const failure = await failureOf(client({ origin: service.origin }).request(get(service.origin)));
	expect(failure).toMatchObject({ facts: { reason: 'unexpected', status: 302 } });
	expect(service.seen.length).toBeLessThan(10);
});

test('every hop is validated, without its query, and a blocked one is not called', async () => {
	const storage = await server(json(200, 'bytes'));
	const service = await server((_request, response) => void response.writeHead(302, { location: `${storage.origin}/blob?sig=secret` }).end());
	const asked: string[] = [];
	const validateUrl = async (url: URL) => {
		asked.push(url.href);
		if (url.origin === storage.origin) throw new Error('private address');
	};
	const failure = await failureOf(client({ origin: service.origin, validateUrl }).request(get(`${service.origin}/content`)));
	expect(failure).toMatchObject({ trouble: 'blocked', origin: storage.origin, mayHaveArrived: false });
	expect(asked).toEqual([`${service.origin}/content`, `${storage.origin}/blob`]);
	expect(storage.connections()).toBe(0);
});

test('names are looked up the way the caller wants', async () => {
	const service = await server(json(200, {}));
	const url = service.origin.replace('127.0.0.1', 'service.test');
	const lookup: HttpSettings['lookup'] = (_name, options, callback) =>
		options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
	const response = await client({ origin: url, lookup }).request(get(url));
	await response.discard();
	expect(response.status).toBe(200);
});

test('a refused connection certainly did not arrive', async () => {
	const origin = await deadOrigin();
	const failure = await failureOf(client({ origin }).request({ method: 'POST', url: new URL(origin), body: '{}' }));
	expect(failure).toMatchObject({ trouble: 'refused', mayHaveArrived: false, origin });
});

test('an unknown host certainly did not arrive', async () => {
	const failure = await failureOf(client({ origin: 'http://nowhere.invalid' }).request(get('http://nowhere.invalid/?key=secret')));
	expect(failure).toMatchObject({ trouble: 'dns', mayHaveArrived: false });
	expect(String(failure)).not.toContain('secret');
});

test('a connection dropped instead of an answer may have arrived', async () => {
	const service = await server((_request, response) => void response.socket?.destroy());
	const failure = await failureOf(client({ origin: service.origin }).request({ method: 'POST', url: new URL(service.origin), body: '{}' }));
	expect(failure).toMatchObject({ trouble: 'lost', mayHaveArrived: true });
});

test('a self-signed certificate is refused, unless it is allowed', async () => {
	const service = await server(json(200, {}), selfSignedCertificate());
	const failure = await failureOf(client({ origin: service.origin }).request({ method: 'POST', url: new URL(service.origin), body: '{}' }));
	expect(failure).toMatchObject({ trouble: 'tls', mayHaveArrived: false });
	const response = await client({ origin: service.origin, rejectUnauthorized: false }).request(get(service.origin));
	await response.discard();
	expect(response.status).toBe(200);
});

test('https to a plain http port is a TLS failure', async () => {
	const service = await server(json(200, {}));
	const failure = await failureOf(client({ origin: service.origin }).request(get(service.origin.replace('http:', 'https:'))));
	expect(failure).toMatchObject({ trouble: 'tls', mayHaveArrived: false });
});

test('the time of a call covers its body', async () => {
	const service = await server((_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'));
	const response = await client({ origin: service.origin }).request(get(service.origin, { totalMs: 200 }));
	await expect(response.json()).rejects.toMatchObject({ trouble: 'timeout', mayHaveArrived: true });
});

test('no answer in time may have arrived', async () => {
	const service = await server(never);
	const failure = await failureOf(client({ origin: service.origin }).request(get(service.origin, { totalMs: 100 })));
	expect(failure).toMatchObject({ trouble: 'timeout', mayHaveArrived: true });
});

test('silence while reading ends a response, a slow reader does not', async () => {
	const service = await server((_request, response) => void response.writeHead(200).write('x'));
	const http = client({ origin: service.origin });
	const response = await http.request(get(service.origin, { idleMs: 150 }));
	const chunks = response.chunks();
	await chunks.next();
	await new Promise((resolve) => setTimeout(resolve, 300));
	const waitedFrom = performance.now();
	await expect(chunks.next()).rejects.toMatchObject({ trouble: 'timeout' });
	expect(performance.now() - waitedFrom).toBeGreaterThan(100);
});

test('an upload that moves is not idle', async () => {
	const service = await server(json(200, {}));
	const slow = (async function* () {
		for (let part = 0; part < 6; part++) {
			await new Promise((resolve) => setTimeout(resolve, 60));
			yield Buffer.from('part');
		}
	})();
	const request: HttpRequest = { method: 'POST', url: new URL(service.origin), body: slow, idleMs: 200 };
	await (await client({ origin: service.origin }).request(request)).discard();
	expect(service.seen[0]?.body).toHaveLength(24);
});

test('a source that breaks is the failure, not the connection', async () => {
	const service = await server(json(200, {}));
	const broken = (async function* () {
		yield* chunksOf('x');
		throw new RangeError('the disk is gone');
	})();
	const failure = await failureOf(client({ origin: service.origin }).request({ method: 'POST', url: new URL(service.origin), body: broken }));
	expect(failure).toBeInstanceOf(RangeError);
});

test('a signal ends a request that is running, and one that is still connecting', async () => {
	const service = await server(never);
	const lookup: HttpSettings['lookup'] = () => undefined;
	for (const [http, url] of [
		[client({ origin: service.origin }), service.origin],
		[client({ origin: service.origin, lookup }), 'http://pending.test'],
	] as const) {
		const controller = new AbortController();
		setTimeout(() => controller.abort(), 50);
		const startedAt = performance.now();
		expect(await failureOf(http.request(get(url, { signal: controller.signal })))).toBeInstanceOf(StoppedError);
		expect(performance.now() - startedAt).toBeLessThan(1_000);
	}
});

test('a signal that has fired sends nothing', async () => {
	const service = await server(never);
	const failure = await failureOf(client({ origin: service.origin }).request(get(service.origin, { signal: AbortSignal.abort() })));
	expect(failure).toBeInstanceOf(StoppedError);
	expect(service.connections()).toBe(0);
});

test('connections are kept for the next calls', async () => {
	const service = await server(json(200, {}));
	const http = client({ origin: service.origin });
	for (let call = 0; call < 10; call++) await (await http.request(get(service.origin))).json();
	expect(service.connections()).toBeLessThanOrEqual(2);
});

test('a body cut short by the consumer closes its connection', async () => {
	const closed = jest.fn();
	const service = await server((_request, response) => {
		response.on('close', closed);
		response.writeHead(200).write('x'.repeat(100_000));
	});
	const response = await client({ origin: service.origin }).request(get(service.origin));
	const chunks = response.chunks();
	await chunks.next();
	await chunks.return();
	await new Promise((resolve) => setTimeout(resolve, 50));
	expect(closed).toHaveBeenCalled();
});

describe('a proxy in the environment', () => {
	const NAMES = ['HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'HTTPS_PROXY', 'https_proxy'] as const;
	const before = NAMES.map((name) => [name, process.env[name]] as const);
	beforeEach(() => NAMES.forEach((name) => delete process.env[name]));
	afterEach(() => before.forEach(([name, value]) => (value === undefined ? delete process.env[name] : (process.env[name] = value))));

	test('carries plain http as usual', async () => {
		const proxy = await server(json(200, { from: 'proxy' }));
		process.env.HTTP_PROXY = proxy.origin;
		const url = 'http://service.test/api/v2/jobs';
		const response = await client({ origin: 'http://service.test', token: 't' }).request(get(url));
		await expect(response.json()).resolves.toEqual({ from: 'proxy' });
		expect(proxy.seen[0]).toMatchObject({ url, headers: { host: 'service.test', authorization: 'Bearer t' } });
	});

	test('is passed by where NO_PROXY says so', async () => {
		const proxy = await server(json(200, { from: 'proxy' }));
		const service = await server(json(200, { from: 'service' }));
		process.env.HTTP_PROXY = proxy.origin;
		process.env.NO_PROXY = '127.0.0.1';
		const response = await client({ origin: service.origin }).request(get(service.origin));
		await expect(response.json()).resolves.toEqual({ from: 'service' });
	});
});

test('errors carry no query and no token', async () => {
	const origin = await deadOrigin();
	const failure = (await failureOf(client({ origin, token: 'canary' }).request(get(`${origin}/x?sig=canary`)))) as ConnectionError;
	expect(JSON.stringify({ ...failure, message: failure.message, cause: String(failure.cause) })).not.toContain('canary');
});

test('bytes of a body arrive unchanged', async () => {
	const service = await server((request, response) => void response.writeHead(200).end(request.body));
	const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256));
	const request: HttpRequest = { method: 'POST', url: new URL(service.origin), body: chunksOf(bytes.subarray(0, 10), bytes.subarray(10)) };
	const response = await client({ origin: service.origin }).request(request);
	expect((await collect(response.chunks())).equals(bytes)).toBe(true);
});
