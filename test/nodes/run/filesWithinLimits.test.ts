process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';

import { picture } from '../../client/support/pictures';
import { serve, type TestServer } from '../../client/support/server';
import { runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { invertGraph } from '../support/graphs';
import { runRun } from '../support/run';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();
let web: TestServer;
let inside: TestServer;
beforeAll(async () => {
	const png = await picture(0x336699);
	inside = await serve((_request, response) => void response.end(png));
	web = await serve(({ url }, response) => {
		if (url === '/leads-inside.png') response.writeHead(302, { location: `${inside.origin}/latest/meta-data` }).end();
		else response.end(png);
	});
});
afterAll(async () => await Promise.all([web.close(), inside.close()]));

const allowed = (address: string) => address.replace('127.0.0.1', 'localhost');
const run = async (url: string) =>
	await runNode(
		runRun(credentialFor(sandbox, 'engine', { baseUrl: allowed(sandbox.urls.engine), engineUrl: '' }), invertGraph(), {
			parameters: { files: { values: [{ input: { mode: 'name', value: '1.image' }, from: 'url', url }] } },
		}),
	);

describe('where n8n limits which addresses may be reached', () => {
	it('a file is fetched from an allowed one', async () => {
		const { error } = await run(allowed(`${web.origin}/cat.png`));
		expect(error).toBeUndefined();
	});

	it.each([
		['it is not fetched from another one', () => `${inside.origin}/cat.png`],
		['nor where a redirect leads to one', () => allowed(`${web.origin}/leads-inside.png`)],
		['nor by an address that only means the same', () => `http://[::ffff:127.0.0.1]:${new URL(inside.origin).port}/cat.png`],
	])('%s', async (_, url) => {
		const { error } = await run(url());
		expect(error?.message).toMatch(
			/^File 1 \(1\.image\): the file at \S+ cannot be fetched\. n8n does not allow connections to http:\/\/\S+$/,
		);
		expect(error?.description).toMatch(/^No job was created\. The administrator of n8n limits/);
		expect(inside.seen).toEqual([]);
		expect(sandbox.requests().filter(({ method }) => method === 'POST')).toEqual([]);
	});
});
