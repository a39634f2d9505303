/** n8n's protection against requests to inside addresses, where one host name is allowed. */
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';

import { picture } from '../../../client/support/pictures';
import { serve, type TestServer } from '../../../client/support/server';
import { type Credential, credentialTestContext, nodes, type RouterCredential, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph, invertGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { submitRun } from '../../support/submit';
import { sharedSandbox } from '../../support/sandbox';

const sandbox = sharedSandbox();

describe('where n8n limits which addresses may be reached', () => {
	it('a node does not contact a forbidden one, and the message says so', async () => {
		const { error } = await runNode(submitRun(credentialFor(sandbox), colorGraph(1)));
		expect(error?.message).toMatch(/n8n does not allow connections to http:\/\/127\.0\.0\.1/);
		expect(error?.description).toMatch(/administrator/);
		expect(sandbox.requests()).toEqual([]);
	});

	const tested: Array<[string, keyof typeof nodes, () => Credential | RouterCredential]> = [
		['comfyApi', 'comfySubmitWorkflow', () => credentialFor(sandbox)],
		['comfyApi', 'comfyRunRouterModel', () => credentialFor(sandbox)],
		['comfySelfHostedApi', 'comfySubmitWorkflow', () => credentialFor(sandbox, 'self_hosted')],
		[
			'comfyRouterJwtApi',
			'comfyRunRouterModel',
			() => ({
				type: 'comfyRouterJwtApi',
				data: { token: 'canary-5e1d', routerUrl: sandbox.urls.router, pathPrefix: 'automatic', ignoreSslIssues: false },
			}),
		],
	];
	it.each(tested)('the test of a %s credential (by %s) does not contact it either', async (type, node, credential) => {
		const { credentialTest } = nodes[node].methods as unknown as {
			credentialTest: Record<string, (typeof nodes.comfySubmitWorkflow.methods.credentialTest)['comfyApiTest']>;
		};
		const result = await credentialTest[`${type}Test`]?.call(credentialTestContext(), {
			id: '1',
			name: 'test',
			type,
			data: credential().data,
		});
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/n8n does not allow connections to http:\/\/127\.0\.0\.1:\d+\. The administrator/) as string,
		});
		expect(sandbox.requests()).toEqual([]);
	});
});

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

describe('a file from the web', () => {
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
