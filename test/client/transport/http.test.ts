import { inspect } from 'node:util';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { ServerContact } from '../../../client/contact/serverContact';
import { failureOf } from '../support/bytes';
import { deadOrigin } from '../support/deadOrigin';
import { json } from '../support/server';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();

test('P3: each request names the version of the package', async () => {
	const service = await server(json(200, {}));
	await (await client({ origin: service.origin }).request(get(service.origin))).json();
	const { version } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as { version: string };
	expect(service.seen[0]?.headers['user-agent']).toBe(`n8n-nodes-comfy/${version}`);
});

test('an answer in more than three codings, or of more than 64 MiB once it is unpacked, is rejected', async () => {
	const codings = (count: number) => ({
		'content-type': 'application/json',
		'content-encoding': Array.from({ length: count }, () => 'gzip').join(),
	});
	/** Larger than any text may be. */
	const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '));
	const packed = (count: number) => Array.from({ length: count }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('{"a":1}'));
	const service = await server(({ url }, response) => {
		const count = Number(url.slice(1));
		response.writeHead(200, codings(count || 1)).end(count === 0 ? bomb : packed(count));
	});
	const http = client({ origin: service.origin });
	const read = async (count: number) => await (await http.request(get(`${service.origin}/${count}`))).json();
	expect(await read(3)).toEqual({ a: 1 });
	for (const count of [0, 4, 1_000]) expect(await failureOf(read(count))).toMatchObject({ facts: { reason: 'unexpected', status: 200 } });
});

describe('redirects', () => {
	const HEADERS = { 'x-own': '1', range: 'bytes=1-' };
	const redirecting = (location: string) => ({ location });

	test('the credential goes to each hop on its own origin, and only the range goes to another one', async () => {
		const storage = await server(
			({ url }, response) =>
				void (url === '/first'
					? response.writeHead(302, redirecting('second?sig=1')).end()
					: response.writeHead(307, redirecting(`${service.origin}/back`)).end()),
		);
		const service = await server(
			({ url }, response) =>
				void (url === '/back'
					? response.end('{"done":true}')
					: response.writeHead(302, redirecting(url === '/a/b' ? 'c' : `${storage.origin}/first`)).end()),
		);
		const http = client({ origin: service.origin, credential: { authorization: 'Bearer t' } });
		const response = await http.request(get(`${service.origin}/a/b`, { headers: HEADERS, allowsOtherOrigins: true }));
		await response.discard();
		const seen = ({ url, headers }: (typeof service.seen)[number]) => [url, headers.authorization, headers['x-own'], headers.range];
		expect(service.seen.map(seen)).toEqual(['/a/b', '/a/c', '/back'].map((url) => [url, 'Bearer t', '1', 'bytes=1-']));
		expect(storage.seen.map(seen)).toEqual(['/first', '/second?sig=1'].map((url) => [url, undefined, undefined, 'bytes=1-']));
		// A signed link refuses added headers.
		for (const { headers } of storage.seen) expect(Object.keys(headers).sort()).toEqual(['connection', 'host', 'range']);
	});

	test('an answer of the storage is no sign of life of the service', async () => {
		const storage = await server(json(200, {}));
		const origin = await deadOrigin();
		const contact = new ServerContact(60_000);
		const http = client({ origin, contact });
		await failureOf(http.request(get(origin)));
		await (await http.request(get(storage.origin))).discard();
		expect(contact.failure).toMatchObject({ trouble: 'refused', origin });
	});

	test('a read follows five redirects and no sixth one, and a submission follows none', async () => {
		const service = await server(({ url }, response) => {
			const left = Number(url.slice(1));
			response.writeHead(left === 0 ? 200 : 302, left === 0 ? {} : redirecting(`/${left - 1}`)).end();
		});
		const http = client({ origin: service.origin });
		expect((await http.request(get(`${service.origin}/5`))).status).toBe(200);
		expect(service.seen).toHaveLength(6);
		expect(await failureOf(http.request(get(`${service.origin}/6`)))).toMatchObject({ facts: { reason: 'unexpected', status: 302 } });
		expect((await http.request({ method: 'POST', url: new URL(`${service.origin}/5`), body: '' })).status).toBe(302);
		expect(service.seen.map(({ url }) => url).slice(6)).toEqual(['/6', '/5', '/4', '/3', '/2', '/1', '/5']);
	});

	test('an API read that is sent to another origin by its second redirect is refused, and names that origin', async () => {
		const elsewhere = await server(json(200, {}));
		const service = await server(
			({ url }, response) => void response.writeHead(302, redirecting(url === '/a' ? '/b' : elsewhere.origin)).end(),
		);
		const failure = await failureOf(client({ origin: service.origin }).request(get(`${service.origin}/a`)));
		expect(failure).toMatchObject({ facts: { reason: 'other_origin', redirectsTo: elsewhere.origin } });
		expect([service.seen.length, elsewhere.connections()]).toEqual([2, 0]);
	});
});

test('an error carries nothing of an answer that is no HTTP, because a link may stand in it', async () => {
	const service = await server((_request, response) => void response.socket?.end('HTTP/9 200 OK\r\nlocation: /x?sig=marker\r\n\r\n'));
	const failure = await failureOf(client({ origin: service.origin }).request(get(service.origin)));
	expect(failure).toMatchObject({ trouble: 'lost' });
	expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain('marker');
});
