import { createHash, randomBytes, randomInt } from 'node:crypto';

import type { ICredentialsDecrypted, IDataObject } from 'n8n-workflow';

import { runFaster } from '../support/fastClock';
import { until } from '../support/until';
import { asHandedOn } from '../nodes/support/credentials';
import { editorContext } from '../nodes/support/editor';
import { bytesOf, type Credential, credentialTestContext, nodes, runNode } from '../nodes/support/engine';
import { downloadRun, fileItem, uploadRun } from '../nodes/support/files';
import { credentialFor } from '../nodes/support/flavours';
import { colorGraph, slowGraph } from '../nodes/support/graphs';
import { manageRun } from '../nodes/support/manage';
import { runRun } from '../nodes/support/run';
import { sharedSandbox } from '../nodes/support/sandbox';
import { jsons, submitRun, submitted, waitRun } from '../nodes/support/submit';
import { deliver } from '../nodes/trigger/support/scene';
import { startTrigger } from '../nodes/trigger/support/trigger';
import { documentedSettings, type Nginx, startNginx } from './support/nginx';

runFaster(5);

const sandbox = sharedSandbox();
const { password: passwordSettings, token: tokenSettings } = documentedSettings();

const PASSWORD = 'marker-p4ss wörd:1';
const TOKEN = 'change-this-token';

interface Front {
	name: string;
	settings: string;
	right: IDataObject;
	wrong: IDataObject;
	field: string;
}

const fronts: Front[] = [
	{
		name: 'a password',
		settings: passwordSettings,
		right: { signIn: 'basic', user: 'ann', password: PASSWORD },
		wrong: { signIn: 'basic', user: 'ann', password: 'marker-wrong' },
		field: 'User and Password',
	},
	{
		name: 'a token',
		settings: tokenSettings,
		right: { signIn: 'bearer', bearerToken: TOKEN },
		wrong: { signIn: 'bearer', bearerToken: 'marker-wrong' },
		field: 'Bearer Token',
	},
];

describe.each(fronts)('a ComfyUI behind nginx with $name', ({ settings, right, wrong, field }) => {
	let nginx: Nginx;
	beforeAll(async () => {
		nginx = await startNginx({
			settings,
			server: sandbox.urls.engine,
			users: [`ann:{SHA}${createHash('sha1').update(PASSWORD).digest('base64')}`],
		});
		sandbox.saveWorkflow('behind nginx.json', { nodes: [] });
	});
	afterAll(async () => await nginx.stop());

	const signedIn = (fields: IDataObject = right, chosen: Credential['interface'] = 'automatic'): Credential => ({
		...credentialFor(sandbox, 'bare_engine', { baseUrl: nginx.url, token: '', ...fields }),
		interface: chosen,
	});
	const statusOf = (request: string): string[] => nginx.requests().flatMap((line) => (line.endsWith(request) ? [line.slice(0, 3)] : []));

	const testOf = async ({ type, data }: Credential) => {
		const decrypted: ICredentialsDecrypted = { id: '1', name: 'test', type, data: asHandedOn({ type, data }) };
		return await nodes.comfySubmitWorkflow.methods.credentialTest.comfySelfHostedApiTest.call(credentialTestContext(), decrypted);
	};

	it('passes the credential test', async () => {
		expect(await testOf(signedIn())).toEqual({
			status: 'OK',
			message: expect.stringMatching(/^Connection successful: ComfyUI .* \(Interface: Engine\)$/) as string,
		});
	});

	it.each(['automatic', 'engine'] as const)('runs a workflow and downloads its image (Interface %s)', async (chosen) => {
		const result = await runNode(runRun(signedIn(right, chosen), colorGraph(11)));
		expect(result.error).toBeUndefined();
		const [item] = result.outputs[0] ?? [];
		expect(item?.json).toMatchObject({ interface: 'engine', status: 'succeeded' });
		expect((await bytesOf(item, Object.keys(item?.binary ?? {})[0])).subarray(1, 4).toString()).toBe('PNG');
	});

	it('reports live progress over a WebSocket', async () => {
		const before = statusOf('GET /ws').length;
		const result = await runNode(runRun(signedIn(), slowGraph(40, 50, randomInt(1_000_000))));
		expect(jsons(result)[0]).toMatchObject({ status: 'succeeded' });
		expect(sandbox.requests('GET /ws', 'engine').length).toBeGreaterThan(0);
		await until(() => statusOf('GET /ws').length > before);
		expect(new Set(statusOf('GET /ws').slice(before))).toEqual(new Set(['101']));
	});

	it('starts a trigger for a finished job', async () => {
		const trigger = await startTrigger({ ...deliver('onlyWhenFinished', { source: 'engine' }), credential: signedIn() });
		await until(() => sandbox.sockets('engine').length === 1);
		const jobId = await submitted(sandbox, colorGraph(13), signedIn());
		await trigger.until(1);
		await trigger.close();
		expect(trigger.items).toMatchObject([{ json: { job_id: jobId, status: 'succeeded' } }]);
		expect(trigger.failures).toEqual([]);
	});

	it('accepts an upload larger than nginx allows by default, and returns outputs of Download Outputs', async () => {
		const file = randomBytes(3 * 1024 * 1024);
		const [uploaded] = jsons(await runNode(uploadRun(signedIn(), [fileItem(file, 'large.png')])));
		expect(uploaded).toMatchObject({ name: expect.stringContaining('large') as string });
		const jobId = await submitted(sandbox, colorGraph(14), signedIn());
		await runNode(waitRun(signedIn(), [jobId]));
		const result = await runNode(downloadRun(signedIn(), [jobId]));
		expect(result.error).toBeUndefined();
		expect(result.outputs[0]?.[0]?.binary).toBeDefined();
	});

	it('fills the lists of the editor, and reads the queue', async () => {
		const context = editorContext('comfyRunWorkflow', {}, signedIn());
		const { results } = await nodes.comfyRunWorkflow.methods.listSearch.searchSavedWorkflows.call(context);
		expect(results[0]).toMatchObject({ value: 'behind nginx.json' });
		expect((await runNode(manageRun(signedIn(), 'queue:get'))).error).toBeUndefined();
	});

	it('reports a wrong sign-in with its field, sends no job and shows no secret', async () => {
		const AT_ONCE = { parameters: { options: { keepTryingForSeconds: 0, waitForServerMinutes: 0 } } };
		for (const chosen of ['automatic', 'engine'] as const) {
			const result = await runNode(submitRun(signedIn(wrong, chosen), colorGraph(15), AT_ONCE));
			expect(result.error?.message).toMatch(/did not accept the sign-in/);
			expect(result.error?.description).toContain(`Check ${field} in the Comfy Self-Hosted API credential`);
			expect(result.stored).not.toContain('marker-wrong');
		}
		expect(await testOf(signedIn(wrong))).toEqual({
			status: 'Error',
			message: `The server at ${nginx.url} did not accept the sign-in (HTTP 401). Check ${field} in the Comfy Self-Hosted API credential.`,
		});
		expect(sandbox.requests('* *', 'engine')).toEqual([]);
	});

	it('says where to enter the sign-in if there is none', async () => {
		const result = await testOf(signedIn({ signIn: 'none' }));
		expect(result.message).toMatch(/requires a sign-in \(HTTP 401\)\. .*check Sign-In in the Comfy Self-Hosted API credential/);
	});
});
