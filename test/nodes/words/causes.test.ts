import { readFileSync } from 'node:fs';

import { json, serve } from '../../client/support/server';
import { runNode } from '../support/engine';
import { downloadRun } from '../support/files';
import { credentialFor } from '../support/flavours';
import { gatedGraph } from '../support/graphs';
import { manageRun } from '../support/manage';
import { routerCredential, routerRun } from '../support/router';
import { submitted, waitRun } from '../support/submit';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const AT_ONCE = { parameters: { maxWaitMinutes: 0, options: { waitForServerMinutes: 0 } } };
const textOf = ({ error }: Awaited<ReturnType<typeof runNode>>): string => `${error?.message}\n${error?.description}`;

describe('a job that ComfyUI lost behind the API proxy', () => {
	const lostJob = async (): Promise<string> => {
		sandbox.configure({ gateOpen: false });
		const jobId = await submitted(sandbox, gatedGraph(), credentialFor(sandbox, 'self_hosted'));
		sandbox.restartEngine();
		sandbox.configure({ gateOpen: true });
		return jobId;
	};

	it('L3: says that ComfyUI was restarted or its queue was cleared, not that the job has expired', async () => {
		const jobId = await lostJob();
		for (const run of [waitRun, downloadRun]) {
			const text = textOf(await runNode(run(credentialFor(sandbox, 'self_hosted'), [jobId])));
			expect(text).toMatch(/is not known to ComfyUI any more: it was restarted, its history was cleared, or somebody took the job out/);
			expect(text).toContain('Submit the workflow again');
			expect(text).not.toMatch(/expired|no longer kept/);
		}
	});

	it('L3: says that a job has expired whose time is over', async () => {
		const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
		const job = { id: 'old', status: 'expired', created_at: at(-25), expires_at: at(-1), outputs: [], urls: {} };
		const proxy = await serve(json(200, job));
		const credential = { ...credentialFor(sandbox, 'self_hosted', { baseUrl: proxy.origin }), interface: 'v2' as const };
		const result = await runNode(waitRun(credential, ['old']));
		await proxy.close();
		expect(result.error?.message).toBe('Job old has expired');
	});
});

describe('a failure that n8n is not to show as canceled', () => {
	it.each(['hosted', 'deployment', 'v1', 'bare_engine'] as const)(
		'L13: a job that is stopped from outside fails the execution (%s)',
		async (way) => {
			const at = credentialFor(sandbox, way);
			sandbox.configure({ gateOpen: false });
			const jobId = await submitted(sandbox, gatedGraph(Math.random()), at);
			const waiting = runNode(waitRun(at, [jobId]));
			await runNode(manageRun(at, 'job:cancel', { parameters: { jobId } }));
			sandbox.configure({ gateOpen: true });
			const result = await waiting;
			expect(result.status).toBe('error');
			expect(result.error?.message).toMatch(/was stopped before it finished|is not known to ComfyUI any more/);
		},
	);

	it.each([400, 403, 404])('L13: words of the service that hold the word do not either (HTTP %i)', async (status) => {
		const server = await serve(
			json(status, { error: { code: 'invalid_request', message: 'the upload was canceled, or canceled.png is missing' } }),
		);
		const at = credentialFor(sandbox, 'hosted', { baseUrl: server.origin, hostedUrl: server.origin });
		const router = routerCredential(sandbox, 'comfyApi', { routerUrl: server.origin, pathPrefix: '/v2' });
		for (const run of [waitRun(at, ['canceled'], AT_ONCE), routerRun(router, 'model:get', 'canceled/canceled', AT_ONCE)]) {
			const result = await runNode(run);
			await server.close();
			expect(result.status).toBe('error');
		}
	});

	it('L13: an agent’s tool fails as well', async () => {
		const server = await serve(json(403, { error: { code: 'forbidden', message: 'canceled' } }));
		const at = credentialFor(sandbox, 'hosted', { baseUrl: server.origin });
		const result = await runNode({ ...waitRun(at, ['canceled']), asTool: true });
		await server.close();
		expect(result.status).not.toBe('canceled');
	});

	it('L13: no message in the list of all messages holds the word', () => {
		const table = readFileSync('docs/troubleshooting.md', 'utf8')
			.split('\n')
			.filter((line) => line.startsWith('| '));
		expect(table.length).toBeGreaterThan(100);
		expect(table.filter((line) => line.split(' | ')[0]?.includes('canceled'))).toEqual([]);
	});
});

describe('a wrong path in the address', () => {
	it('L11: a server that does not answer is named with its path', async () => {
		const at = credentialFor(sandbox, 'bare_engine', { baseUrl: 'http://127.0.0.1:9/comfy/' });
		const result = await runNode(waitRun(at, ['1'], AT_ONCE));
		expect(result.error?.message).toBe('Nothing answers at http://127.0.0.1:9/comfy: the connection was refused');
	});

	it('L11: several addresses are each named with their path', async () => {
		const at = credentialFor(sandbox, 'self_hosted', { baseUrl: 'http://127.0.0.1:9/proxy', engineUrl: 'http://127.0.0.1:11/comfy' });
		const result = await runNode(waitRun(at, ['1'], AT_ONCE));
		expect(result.error?.message).toContain('http://127.0.0.1:9/proxy: ');
		expect(result.error?.message).toContain('http://127.0.0.1:11/comfy: ');
	});

	it.each(['automatic', 'v2', 'engine'] as const)('L11: a server that answers 404 there is named with its path (%s)', async (way) => {
		const baseUrl = `${sandbox.urls.engine}/comfy`;
		const text = textOf(await runNode(waitRun({ ...credentialFor(sandbox, 'bare_engine', { baseUrl }), interface: way }, ['1'], AT_ONCE)));
		expect(text).toContain(baseUrl);
		expect(text).not.toContain(`${sandbox.urls.engine} `);
	});

	it('L11: the advice names the path', async () => {
		const baseUrl = `${sandbox.urls.engine}/comfy`;
		const text = textOf(await runNode(waitRun(credentialFor(sandbox, 'bare_engine', { baseUrl }), ['1'], AT_ONCE)));
		expect(text).toContain('its path /comfy may be wrong');
	});
});
