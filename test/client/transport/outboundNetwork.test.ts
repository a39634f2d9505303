import { Readable } from 'node:stream';
import { connect, openWebFile } from '../../../client';
import { createLookup, discardBody } from '../../../client/transport/outboundNetwork';
import type { HttpSettings } from '../../../client/transport/http';
import { collect, failureOf } from '../support/bytes';
import { json } from '../support/server';
import { get, useTransport } from '../support/transport';

const { server, client } = useTransport();

/** Resolves every name to these addresses, as a name server of somebody else may. */
const resolvingTo =
	(...addresses: string[]): HttpSettings['lookup'] =>
	(_name, options, callback) => {
		const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
		return options.all ? callback(null, found) : callback(null, addresses[0] ?? '', 4);
	};

/** A service whose files lie behind a redirect to this address. */
async function fileBehind(location: string, egress: Partial<HttpSettings> = {}): Promise<Buffer> {
	const service = await server((_request, response) => void response.writeHead(302, { location }).end());
	const connection = connect({ interface: 'v2', baseUrl: service.origin, readBudgetMs: 0, outboundNetwork: egress });
	try {
		return await collect((await connection.assets.download({ url: `${service.origin}/file` })).bytes);
	} finally {
		await connection.close();
	}
}

describe('F5: a file', () => {
	it.each([
		'http://169.254.169.254/latest/meta-data/',
		'https://169.254.1.2:8188/',
		'http://2852039166/',
		'http://[fe80::1]/',
		'http://[febf::1]/',
		'http://[64:ff9b::169.254.169.254]/',
		'http://[::ffff:169.254.169.254]/',
		'http://[fd00:ec2::254]/',
		'http://[fd20:ce::254]/',
		'http://100.100.100.200/',
		'http://168.63.129.16/',
		'http://192.0.0.192/',
	])('F5: is not read from a redirect to %s', async (location) => {
		const { origin } = new URL(location);
		expect(await failureOf(fileBehind(location))).toMatchObject({ trouble: 'link_local', origin, mayHaveArrived: false });
	});

	it('is not read from a redirect to another protocol', async () => {
		expect(await failureOf(fileBehind('ftp://127.0.0.1/file'))).toMatchObject({ trouble: 'not_web', origin: 'ftp:' });
	});

	it('is not read from a redirect that n8n forbids, and n8n sees no query', async () => {
		const cause = new Error('forbidden');
		const seen: string[] = [];
		const validateUrl = async ({ href, hostname }: URL): Promise<void> => {
			seen.push(href);
			await (hostname === 'forbidden.test' ? Promise.reject(cause) : Promise.resolve());
		};
		const failure = await failureOf(fileBehind('http://forbidden.test/file?key=1', { validateUrl }));
		expect(failure).toMatchObject({ trouble: 'blocked', origin: 'http://forbidden.test', cause });
		expect(seen.at(-1)).toBe('http://forbidden.test/file');
	});

	it.each([['169.254.169.254'], ['::ffff:169.254.169.254'], ['fe80::1'], ['fd00:ec2::254', '169.254.169.254']])(
		'F5: is not read from a host whose name resolves to %s',
		async (...addresses) => {
			const failure = await failureOf(fileBehind('http://metadata.test/secret', { lookup: resolvingTo(...addresses) }));
			expect(failure).toMatchObject({ trouble: 'link_local', origin: 'metadata.test' });
		},
	);

	it('F5: is read from the other addresses of a host that has link-local ones too', async () => {
		const storage = await server(json(200, 'bytes'));
		const location = storage.origin.replace('127.0.0.1', 'storage.test');
		const read = await fileBehind(location, { lookup: resolvingTo('fe80::1', '127.0.0.1') });
		expect(read.toString()).toBe('"bytes"');
	});

	it('F5: of the web is not read from a link-local address, even if the address is entered', async () => {
		const failure = await failureOf(openWebFile('http://169.254.169.254/latest', { largestBytes: 1_000 }));
		expect(failure).toMatchObject({ facts: { fault: 'unreachable', trouble: 'link_local' } });
	});
});

it('F5: a link of an answer to a link-local address is not followed', async () => {
	const service = await server(json(200, {}));
	const http = client({ origin: service.origin });
	expect(await failureOf(http.request(get('http://169.254.169.254/api/v2/jobs/1')))).toMatchObject({ trouble: 'link_local' });
});

it('F5: a link-local address that the user entered is used', async () => {
	const asked: string[] = [];
	const carry = async ({ url }: { url: URL }): Promise<never> => {
		asked.push(url.href);
		return await Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
	};
	const http = client({ origin: 'http://169.254.7.7:8188', dispatcher: { dispatch: carry, close: async () => await Promise.resolve() } });
	expect(await failureOf(http.request(get('http://169.254.7.7:8188/queue')))).toMatchObject({ trouble: 'refused' });
	expect(asked).toEqual(['http://169.254.7.7:8188/queue']);
});

describe('the lookup of a connection', () => {
	const lookedUp = async (name: string, all: boolean, lookup?: HttpSettings['lookup'], entered?: string): Promise<unknown[]> =>
		await new Promise((resolve) => createLookup({ lookup }, entered)(name, { all }, (...answer) => resolve(answer)));
	const INSIDE = { address: '169.254.1.1', family: 4 };
	const refusal = expect.objectContaining({ trouble: 'link_local', origin: 'name.test' }) as unknown;

	it.each<[what: string, all: boolean, addresses: string[], entered: string | undefined, answer: unknown[]]>([
		['refuses a link-local address', false, ['169.254.1.1'], undefined, [refusal, '', 4]],
		['refuses link-local addresses', true, ['169.254.1.1'], undefined, [refusal, []]],
		['passes another address on', false, ['127.0.0.1'], undefined, [null, '127.0.0.1', 4]],
		['passes an empty list on', true, [], undefined, [null, []]],
		['passes every address of the entered host on', true, ['169.254.1.1'], 'name.test', [null, [INSIDE], undefined]],
	])('%s (all: %s)', async (_, all, addresses, entered, answer) => {
		expect(await lookedUp('name.test', all, resolvingTo(...addresses), entered)).toEqual(answer);
	});

	it('passes an error on, as one of DNS', async () => {
		const missing = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
		const [error] = await lookedUp('name.test', true, (_name, _options, callback) => callback(missing, []));
		expect(error).toMatchObject({ code: 'ENOTFOUND' });
	});

	it('is that of the system where no other is given', async () => {
		const [error, found] = await lookedUp('localhost', true);
		expect(error).toBeNull();
		expect(found).toContainEqual({ address: '127.0.0.1', family: 4 });
	});
});

it('the rest of a body is discarded when the stream is closed, which may have happened already or end with an error', async () => {
	const body = new Readable({ read() {} });
	body.push('the first part');
	for (let times = 0; times < 2; times++) await discardBody(body);
	expect(body.closed).toBe(true);
	const broken = new Readable({ read() {}, destroy: (_error, done) => done(new Error('the connection was lost')) });
	await expect(discardBody(broken)).resolves.toBeUndefined();
});
