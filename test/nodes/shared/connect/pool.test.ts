import type { IDataObject, INodeCredentialTestResult } from 'n8n-workflow';

import { deadOrigin } from '../../../client/support/deadOrigin';
import { json, serve, type TestServer } from '../../../client/support/server';
import { testCredential } from '../../support/credentialTest';
import { editorContext } from '../../support/editor';
import { type Credential, nodes, runNode } from '../../support/engine';
import { credentialFor } from '../../support/flavours';
import { colorGraph } from '../../support/graphs';
import { manageRun } from '../../support/manage';
import { sharedSandbox } from '../../support/sandbox';
import { finished, jsons, submitRun } from '../../support/submit';

const [first, second] = [sharedSandbox(), sharedSandbox()];
beforeAll(() => {
	first.saveWorkflow('on the first.json', colorGraph(1));
	second.saveWorkflow('on the second.json', colorGraph(2));
});
const open: TestServer[] = [];
afterEach(async () => await Promise.all(open.splice(0).map(async ({ close }) => await close())));

const MARKER = 'marker-5c1d';
const VERSION = '0.3.64';

/** The test of a credential whose first server is the first sandbox. */
async function test(fields: IDataObject, sandbox = first): Promise<INodeCredentialTestResult> {
	const result = await testCredential(credentialFor(sandbox, 'bare_engine', { token: '', hasMoreServers: true, ...fields }));
	expect(result.message).not.toContain(MARKER);
	return result;
}

const rows = (...values: IDataObject[]): IDataObject => ({ serversWithSignIn: { values } });

/** An engine that reports this version, after `isTime` for each request. */
async function engineOf(version: string | null, isTime?: () => Promise<void>): Promise<string> {
	const system = { os: 'posix', comfyui_version: version ?? undefined, python_version: '3.12', argv: ['main.py'], ram_total: 1 };
	const server = await serve(async (request, response) => {
		await isTime?.();
		const body = request.url.endsWith('/system_stats') ? { system, devices: [] } : {};
		void json(200, body)(request, response);
	});
	open.push(server);
	return server.origin;
}

describe('the test of several ComfyUIs', () => {
	it('succeeds if all respond, also if one hides its history, and names each with its version', async () => {
		second.inject({ on: 'GET /api/history', surface: 'engine', times: 9, answer: { status: 403 } });
		const third = await engineOf(VERSION);
		expect(await test({ moreServers: `${second.urls.engine}/\n${third}` })).toEqual({
			status: 'OK',
			message: `Connection successful: 3 servers respond: ${first.urls.engine} (ComfyUI ${VERSION}), ${second.urls.engine} (ComfyUI ${VERSION}), ${third} (ComfyUI ${VERSION})`,
		});
	});

	it.each([
		['0.3.60', 'ComfyUI 0.3.60'],
		[null, 'ComfyUI'],
	])('succeeds with different versions, and reports them (%s)', async (version, shown) => {
		const other = await engineOf(version);
		const { status, message } = await test({ moreServers: other });
		expect(status).toBe('OK');
		expect(message).toContain(`: ${first.urls.engine} (ComfyUI ${VERSION}), ${other} (${shown}). Their versions differ`);
	});

	it('sends each server its own sign-in', async () => {
		first.configure({ engineAuthorization: `Basic ${Buffer.from(`ann:${MARKER}`).toString('base64')}` });
		second.configure({ engineAuthorization: `Bearer ${MARKER}-2` });
		const signIn = { signIn: 'basic', user: 'ann', password: MARKER };
		expect(await test({ ...signIn, ...rows({ address: second.urls.engine, bearerToken: `${MARKER}-2` }) })).toMatchObject({ status: 'OK' });
		expect(first.requests('* *', 'engine').some(({ headers }) => String(headers.authorization).startsWith('Bearer'))).toBe(false);
		expect(second.requests('* *', 'engine').some(({ headers }) => String(headers.authorization).startsWith('Basic'))).toBe(false);
	});

	it('lists the servers that fail with their reasons, and those that respond', async () => {
		const [dead, third] = [await deadOrigin(), await engineOf(VERSION)];
		const { status, message } = await test({ moreServers: `${dead}\n${third}\n${first.urls.self_hosted}` });
		expect(status).toBe('Error');
		expect(message).toMatch(/^2 of 4 servers cannot be used\. /);
		expect(message).toContain(
			`${dead} (line 1 of More Servers): The server at ${dead} cannot be reached: the connection was refused. Check `,
		);
		expect(message).toContain(
			`${first.urls.self_hosted} (line 3 of More Servers): The server at ${first.urls.self_hosted} is not ComfyUI itself, which Several ComfyUIs needs: it may be the API proxy. Enter the address of ComfyUI in line 3 of More Servers in `,
		);
		expect(message).toMatch(
			new RegExp(`These servers respond: ${first.urls.engine} \\(ComfyUI ${VERSION}\\), ${third} \\(ComfyUI ${VERSION}\\)\\.$`),
		);
	});

	it('says so if no server responds', async () => {
		const { message } = await test({ baseUrl: await deadOrigin(), moreServers: await deadOrigin() });
		expect(message).toMatch(/^2 of 2 servers cannot be used\. .* No server responds\.$/);
	});

	it('names the row whose sign-in a server rejects', async () => {
		second.configure({ engineAuthorization: `Bearer ${MARKER}-right` });
		const { status, message } = await test(rows({ address: second.urls.engine, bearerToken: `${MARKER}-wrong` }));
		expect(status).toBe('Error');
		expect(message).toContain(`${second.urls.engine} (row 1 of Servers With Own Sign-In): `);
		expect(message).toMatch(/Check row 1 of Servers With Own Sign-In in the Comfy Self-Hosted API credential \(under Several ComfyUIs\)/);
	});

	it('asks all servers at the same time', async () => {
		let arrived = 0;
		let release = (): void => undefined;
		const bothArrived = new Promise<void>((resolve) => (release = resolve));
		const waitForOther = async (): Promise<void> => {
			if (++arrived === 2) release();
			await bothArrived;
		};
		const engines = [await engineOf(VERSION, waitForOther), await engineOf(VERSION, waitForOther)];
		expect(await test({ moreServers: engines.join('\n') })).toMatchObject({ status: 'OK' });
	});

	it('reports an address that is entered twice, with both fields, before it sends anything', async () => {
		const address = second.urls.engine;
		expect(await test({ moreServers: `${address}\n${address}/api/` })).toEqual({
			status: 'Error',
			message: expect.stringContaining(`${address} is entered twice: in line 1 of More Servers and in line 2 of More Servers.`) as string,
		});
		expect((await test(rows({ address: first.urls.engine }))).message).toContain(
			'is entered twice: in Address and in row 1 of Servers With Own Sign-In',
		);
		expect([...first.requests(), ...second.requests()]).toEqual([]);
	});

	it('reports the same server under another name if it has run jobs', async () => {
		await finished(second, colorGraph(1), credentialFor(second, 'bare_engine'));
		const address = second.urls.engine;
		const again = address.replace('127.0.0.1', 'localhost');
		expect(await test({ moreServers: `${address}\n${again}` })).toEqual({
			status: 'Error',
			message: expect.stringContaining(
				`${address} (line 1 of More Servers) and ${again} (line 2 of More Servers) are the same ComfyUI.`,
			) as string,
		});
	});
});

const poolOf = (fields: IDataObject = {}, chosen?: Credential['interface']): Credential => ({
	...credentialFor(first, 'bare_engine', { token: '', hasMoreServers: true, moreServers: second.urls.engine, ...fields }),
	...(chosen && { interface: chosen }),
});

const AT_ONCE = { parameters: { options: { keepTryingForSeconds: 0, waitForServerMinutes: 0 } } };
const prompts = () => [first, second].map((sandbox) => sandbox.requests('POST /api/prompt', 'engine').length);

describe('a credential with several ComfyUIs', () => {
	it.each(['automatic', 'engine'] as const)('divides the jobs of one run among them (Interface %s)', async (chosen) => {
		const items = [1, 2, 3, 4].map(() => ({ json: {} }));
		const result = await runNode(submitRun(poolOf({}, chosen), colorGraph(3), { items }));
		expect(jsons(result).map((item) => item.interface)).toEqual(['engine', 'engine', 'engine', 'engine']);
		expect(Math.min(...prompts())).toBeGreaterThan(0);
		expect(prompts().reduce((sum, count) => sum + count)).toBe(4);
	});

	it('lists the saved workflows of all servers, and in the editor also if a server does not respond', async () => {
		const result = await runNode(manageRun(poolOf(), 'workflow:getAll', { parameters: {} }));
		expect(jsons(result).map((item) => item.name)).toEqual(expect.arrayContaining(['on the first', 'on the second']));
		const context = editorContext('comfyRunWorkflow', {}, poolOf({ moreServers: `${await deadOrigin()}\n${second.urls.engine}` }));
		const { results } = await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context);
		expect(results.map(({ value }) => value)).toEqual(expect.arrayContaining(['on the first.json', 'on the second.json']));
	});

	it('runs a saved workflow of any server', async () => {
		const parameters = { workflowSource: 'saved', savedWorkflow: { __rl: true, mode: 'list', value: 'on the second.json' } };
		const result = await runNode(submitRun(poolOf(), undefined, { parameters }));
		expect(result.error?.message).toBeUndefined();
		expect(prompts().reduce((sum, count) => sum + count)).toBe(1);
	});

	it('reports each address with its field if no server responds', async () => {
		const [one, other] = [await deadOrigin(), await deadOrigin()];
		const { error } = await runNode(submitRun(poolOf({ baseUrl: one, moreServers: other }), colorGraph(3), AT_ONCE));
		expect(error?.message).toContain(`The server at ${one} cannot be reached: the connection was refused (Address)`);
		expect(error?.message).toContain(`The server at ${other} cannot be reached: the connection was refused (line 1 of More Servers)`);
	});
});
