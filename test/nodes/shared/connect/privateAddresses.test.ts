/** n8n's protection against requests to inside addresses, where one of them, the service's own, is allowed. */
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';
process.env.N8N_SSRF_ALLOWED_IP_RANGES = '127.0.0.1/32';

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { editorContext } from '../../support/editor';
import { nodes, runNode } from '../../support/engine';
import { downloadRun } from '../../support/files';
import { credentialFor } from '../../support/flavours';
import { colorGraph, invertGraph } from '../../support/graphs';
import { runRun } from '../../support/run';
import { finished } from '../../support/submit';
import { startTrigger } from '../../trigger/support/trigger';
import { until } from '../../../support/until';
import { sharedSandbox } from '../../support/sandbox';

/** What stands inside, e.g. the address at which a cloud tells its secrets, and whoever leads there from an allowed one. */
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
let leadingInside: string;
beforeAll(async () => {
	inside = await listen(INSIDE, (request, response) => {
		reached.push(String(request.url));
		response.writeHead(200, { 'content-type': 'image/png' }).end('secret');
	});
	leadingInside = await listen('127.0.0.1', (_, response) => response.writeHead(302, { location: `${inside}/redirected` }).end());
});
afterAll(async () => {
	for (const server of servers) server.close();
});

const BLOCKED = /n8n does not allow connections to http:\/\/127\.0\.0\.2/;

const fromUrl = (url: string) =>
	runRun(credentialFor(sandbox), invertGraph(), {
		parameters: { files: { values: [{ input: { __rl: true, mode: 'name', value: '1.image' }, from: 'url', url }] } },
	});

it('the service itself is reached', async () => {
	expect((await runNode(runRun(credentialFor(sandbox), colorGraph(1)))).status).toBe('success');
});

it.each([
	['a URL of Files', () => `${inside}/direct`],
	['one with another spelling of the address', () => `${inside.replace(INSIDE, '0x7f.2')}/odd`],
	['a redirect of an allowed address', () => leadingInside],
])('no inside address is reached by %s', async (_, url) => {
	const { error } = await runNode(fromUrl(url()));
	expect(`${error?.message} ${error?.description}`).toMatch(/n8n does not allow|blocks/);
	expect(reached).toEqual([]);
});

it('nor by a link of the service', async () => {
	const jobId = await finished(sandbox, colorGraph(2));
	const job = (await (
		await fetch(`${sandbox.urls.hosted}/api/v2/jobs/${jobId}`, { headers: { authorization: `Bearer ${sandbox.keys.apiKey}` } })
	).json()) as {
		outputs: Array<Record<string, unknown>>;
	};
	const outputs = job.outputs.map((output) => ({ ...output, url: `${inside}/linked` }));
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', times: Infinity, answer: { status: 200, json: { ...job, outputs } } });
	const { error } = await runNode(downloadRun(credentialFor(sandbox), [jobId]));
	expect(error?.message).toMatch(BLOCKED);
	expect(reached).toEqual([]);
});

it('nor while a list is searched in the editor', async () => {
	const credential = credentialFor(sandbox, 'hosted', { baseUrl: inside });
	const context = editorContext('comfyWaitForJob', {}, credential);
	const { searchJobs } = nodes.comfyWaitForJob.methods.listSearch as unknown as { searchJobs: (this: typeof context) => Promise<unknown> };
	await expect(searchJobs.call(context)).rejects.toThrow(BLOCKED);
	expect(reached).toEqual([]);
});

it('nor by a trigger, over HTTP or a socket', async () => {
	const credential = credentialFor(sandbox, 'hosted', { hostedUrl: inside });
	const trigger = await startTrigger({ credential, parameters: { source: 'hostedAccount', deliver: 'onlyWhenFinished' } });
	await until(() => trigger.logged.some((line) => BLOCKED.test(line)));
	await trigger.close();
	expect(reached).toEqual([]);
});
