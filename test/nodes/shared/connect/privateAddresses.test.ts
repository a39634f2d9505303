/** n8n's protection against requests to private addresses, where the address and the name of the service are allowed. */
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_IP_RANGES = '127.0.0.1/32';
process.env.N8N_SSRF_ALLOWED_HOSTNAMES = 'localhost';

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { picture } from '../../../client/support/pictures';
import { until } from '../../../support/until';
import { startTrigger } from '../../trigger/support/trigger';
import { editorContext } from '../../support/editor';
import { testCredential } from '../../support/credentialTest';
import { type Credential, nodes, type RouterCredential, runNode } from '../../support/engine';
import { downloadRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, invertGraph } from '../../support/graphs';
import { routerCredential } from '../../support/router';
import { runRun } from '../../support/run';
import { sharedSandbox } from '../../support/sandbox';
import { finished } from '../../support/submit';

/** For example the address at which a cloud returns its secrets. */
const INSIDE = '127.0.0.2';
const reached: string[] = [];
const servers: Server[] = [];

async function listen(host: string, answer: RequestListener): Promise<string> {
	const server = createServer(answer);
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const sandbox = sharedSandbox();
let inside: string;
let web: string;
beforeAll(async () => {
	const png = await picture(0x336699);
	inside = await listen(INSIDE, (request, response) => {
		reached.push(String(request.url));
		response.writeHead(200, { 'content-type': 'image/png' }).end(png);
	});
	web = await listen('127.0.0.1', ({ url }, response) => {
		if (url === '/leads-inside.png') response.writeHead(302, { location: `${inside}/redirected` }).end();
		else response.end(png);
	});
});
afterEach(() => expect(reached).toEqual([]));
afterAll(() => servers.forEach((server) => server.close()));

const BLOCKED = /n8n does not allow connections to http:\/\/127\.0\.0\.2:\d+/;

const fromUrl = (url: string) =>
	runRun(credentialFor(sandbox), invertGraph(), {
		parameters: { files: { values: [{ input: { __rl: true, mode: 'name', value: '1.image' }, from: 'url', url }] } },
	});

it('the service is reached by its address, and a file by a name', async () => {
	expect((await runNode(fromUrl(`${web.replace('127.0.0.1', 'localhost')}/cat.png`))).error).toBeUndefined();
});

it.each([
	['directly', () => `${inside}/direct.png`],
	['by another spelling of the address', () => `${inside.replace(INSIDE, '0x7f.2')}/odd.png`],
	['by an IPv6 address that means the same', () => `${inside.replace(INSIDE, '[::ffff:127.0.0.2]')}/mapped.png`],
	['by a redirect of an allowed address', () => `${web}/leads-inside.png`],
])('a private address is not reached for a file %s', async (_, url) => {
	const { error } = await runNode(fromUrl(url()));
	expect(error?.message).toMatch(
		/^File 1 \(1\.image\): the file at \S+ cannot be downloaded\. n8n does not allow connections to http:\/\/\S+$/,
	);
	expect(error?.description).toMatch(/^No job was created\. The administrator of n8n restricts/);
	expect(sandbox.requests().filter(({ method }) => method === 'POST')).toEqual([]);
});

const tested: Array<[node: 'comfySubmitWorkflow' | 'comfyRunRouterModel', credential: () => Credential | RouterCredential]> = [
	['comfySubmitWorkflow', () => credentialFor(sandbox, 'hosted', { baseUrl: inside })],
	['comfySubmitWorkflow', () => credentialFor(sandbox, 'self_hosted', { baseUrl: inside })],
	['comfyRunRouterModel', () => credentialFor(sandbox, 'hosted', { baseUrl: inside })],
	['comfyRunRouterModel', () => routerCredential(sandbox, 'comfyRouterJwtApi', { routerUrl: inside })],
];
it.each(tested)('a private address is not reached by the test of a credential (%s, %#)', async (node, credential) => {
	const { status, message } = await testCredential(credential(), nodes[node].methods.credentialTest);
	expect([status, message]).toEqual(['Error', expect.stringMatching(BLOCKED)]);
	expect(message).toContain('. The administrator');
});

it('a private address is not reached by a link of the service', async () => {
	const jobId = await finished(sandbox, colorGraph(2));
	const headers = { authorization: `Bearer ${sandbox.keys.apiKey}` };
	const job = (await (await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}`, { headers })).json()) as { outputs: object[] };
	const outputs = job.outputs.map((output) => ({ ...output, url: `${inside}/linked` }));
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 200, json: { ...job, outputs } } });
	const { error } = await runNode(downloadRun(credentialFor(sandbox), [jobId]));
	expect(error?.message).toMatch(BLOCKED);
});

it('a private address is not reached while the editor searches a list', async () => {
	const context = editorContext('comfyWaitForJob', {}, credentialFor(sandbox, 'hosted', { baseUrl: inside }));
	const { searchJobs } = nodes.comfyWaitForJob.methods.listSearch as unknown as { searchJobs: (this: typeof context) => Promise<unknown> };
	await expect(searchJobs.call(context)).rejects.toThrow(BLOCKED);
});

it('a private address is not reached by a trigger, over HTTP or a socket', async () => {
	const credential = credentialFor(sandbox, 'hosted', { hostedUrl: inside });
	const trigger = await startTrigger({ credential, parameters: { source: 'hostedAccount', deliver: 'onlyWhenFinished' } });
	await until(() => trigger.logged.some((line) => BLOCKED.test(line)));
	await trigger.close();
});
