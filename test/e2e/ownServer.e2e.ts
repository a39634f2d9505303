import { type CredentialDocument, type Execution, importCredentials, itemsOf, type WorkflowNode } from '../../scripts/n8nHost/documents';
import { textToImage } from '../support/stockGraphs';
import { engineRequests, onServer, saveServer, serverDocument, submitToEngine } from './support/engine';
import { gatedPicture, quick } from './support/graphs';
import { openSession, type Session } from './support/session';
import { until } from './support/until';
import { chain, items, node, TRIGGER } from './support/workflows';

const GIB = 1024 ** 3;
const MANAGE = 'comfyManageJobs';
const RUN = 'comfyRunWorkflow';

let session: Session;
beforeEach(async () => {
	session = await openSession();
});
afterEach(() => session.close());

/** Runs the nodes with the credential of the sandbox's engine. @param changes fields of this credential. */
async function runOnServer(name: string, nodes: WorkflowNode[], changes?: CredentialDocument['data']): Promise<Execution> {
	const saved = await saveServer(session, changes);
	return await session.rest.waitFor(await session.start(chain(name, ...nodes), TRIGGER, saved));
}

/** @returns the items of our node after it succeeded. */
function jsonsOf(execution: Execution, nodeName: string): Array<Record<string, unknown>> {
	expect(execution.data.resultData.error).toBeUndefined();
	expect(execution.status).toBe('success');
	return itemsOf(execution, nodeName).map(({ json }) => json);
}

const untilSucceeded = async (jobId: string) =>
	await until(`the end of ${jobId}`, () => (session.sandbox.job(jobId)?.status === 'succeeded' ? true : undefined));

/** A job of another program that runs until the gate opens. Other jobs run beside it. */
async function startOthersJob(): Promise<string> {
	session.sandbox.configure({ gateOpen: false, engineConcurrency: 2 });
	const jobId = await submitToEngine(session, gatedPicture);
	await until('the job of another program to run', () => (session.sandbox.job(jobId)?.status === 'running' ? true : undefined));
	return jobId;
}

async function finishOthersJob(jobId: string): Promise<void> {
	session.sandbox.configure({ gateOpen: true });
	await untilSucceeded(jobId);
}

describe('Comfy Manage Jobs and Queue, resource Server', () => {
	const manage = (operation: string, parameters: WorkflowNode['parameters'] = {}): WorkflowNode =>
		onServer(MANAGE, { resource: 'server', operation, ...parameters });
	const resultsOf = async (operation: string, parameters: WorkflowNode['parameters'] = {}) =>
		jsonsOf(await runOnServer(operation, [manage(operation, parameters)]), MANAGE);

	test('Get Information returns the versions, devices, memory and queue length of ComfyUI', async () => {
		const others = await startOthersJob();
		expect(await resultsOf('getInfo')).toEqual([
			{
				interface: 'engine',
				comfyui_version: '0.3.64',
				python_version: '3.12.3',
				pytorch_version: '2.8.0',
				os: 'sandbox',
				ram_total: 24 * GIB,
				ram_free: 22 * GIB,
				start_arguments: ['main.py', '--listen'],
				devices: [{ name: 'cpu', type: 'cpu', index: null, vram_total: 24 * GIB, vram_free: 22 * GIB }],
				running: 1,
				queued: 0,
			},
		]);
		await finishOthersJob(others);
	});

	test('Free Memory unloads the models after a job and returns the free memory before and after in bytes', async () => {
		await untilSucceeded(await submitToEngine(session, quick));
		expect(await resultsOf('freeMemory')).toEqual([
			{
				interface: 'engine',
				freed: 'now',
				is_final: null,
				running: 0,
				queued: 0,
				before: { vram_free: 22 * GIB, ram_free: 22 * GIB },
				after: { vram_free: 24 * GIB, ram_free: 24 * GIB },
			},
		]);
		expect(session.sandbox.ledger.frees).toMatchObject([{ models: true, caches: false }]);
	});

	test('Free Memory of models and caches returns "after_current_job" while a job runs, and the job succeeds', async () => {
		const others = await startOthersJob();
		expect(await resultsOf('freeMemory', { free: 'modelsAndCaches' })).toMatchObject([
			{ freed: 'after_current_job', running: 1, queued: 0, after: { vram_free: 22 * GIB } },
		]);
		expect(session.sandbox.ledger.frees).toMatchObject([{ models: true, caches: true }]);
		await finishOthersJob(others);
	});

	test('Get Many Models returns one item for each model file, and only those that Folder, Text and Limit allow', async () => {
		const pixelArt = {
			name: 'pixel_art.safetensors',
			folder: 'loras',
			size_bytes: 2 * GIB,
			modified_at: '2025-10-09T08:53:21.500Z',
		};
		const all = await resultsOf('getAllModels', { returnAll: true });
		expect(new Set(all.map(({ folder }) => folder))).toEqual(new Set(['checkpoints', 'loras', 'upscale_models']));
		expect(all).toContainEqual(pixelArt);
		const folder = { __rl: true, mode: 'name', value: 'loras' };
		expect(await resultsOf('getAllModels', { folder, filters: { text: 'pixel' } })).toEqual([pixelArt]);
		expect(await resultsOf('getAllModels', { folder, limit: 1 })).toHaveLength(1);
	});

	test('Clear History removes the job that the node before it ran, and then all finished jobs', async () => {
		const earlier = await submitToEngine(session, quick);
		await untilSucceeded(earlier);
		const run = onServer(RUN, { workflow: JSON.stringify(gatedPicture) });
		const execution = await runOnServer('clear one job', [run, manage('clearHistory')]);
		const cleared = { interface: 'engine', jobs_before: 1, jobs_after: 0, not_found_job_ids: [], is_truncated: false };
		const jobId = itemsOf(execution, RUN)[0]?.json.job_id;
		expect(jsonsOf(execution, MANAGE)).toEqual([{ ...cleared, cleared_job_ids: [jobId] }]);
		expect(await resultsOf('clearHistory', { historyJobs: 'all' })).toEqual([{ ...cleared, cleared_job_ids: [earlier] }]);
	});
});

describe('Comfy Run Workflow with Free Memory Afterwards', () => {
	const ROWS = 3;
	/** Each item gets a color of its own, because ComfyUI does not run an equal workflow again. */
	const runRows = async (name: string, options: object): Promise<Execution> =>
		await runOnServer(name, [
			...items(ROWS),
			onServer(RUN, {
				workflow: JSON.stringify(quick),
				options: { freeMemory: 'whenDone', inputValues: '={{ { "1": { color: $json.index } } }}', ...options },
			}),
		]);
	const hintsOf = ({ data }: Execution): unknown =>
		(data.resultData.runData[RUN]?.at(-1) as { hints?: Array<{ message: string }> } | undefined)?.hints?.map(({ message }) => message);
	const freeRequests = () =>
		engineRequests(session, 'POST', '/free').map(({ bodyText, status }) => ({ body: JSON.parse(bodyText), status }));
	const FREED = { body: { unload_models: true, free_memory: true }, status: 200 };

	test('sends one request that frees the memory after the jobs of all items', async () => {
		const execution = await runRows('free memory', {});
		expect(jsonsOf(execution, RUN)).toHaveLength(ROWS);
		expect(hintsOf(execution) ?? []).toEqual([]);
		expect(freeRequests()).toEqual([FREED]);
		const { frees, runs, executedNodes } = session.sandbox.ledger;
		expect(runs).toHaveLength(ROWS);
		expect(frees).toMatchObject([{ unfinishedJobs: 0 }]);
		expect(frees[0]?.at).toBeGreaterThanOrEqual(Math.max(...executedNodes.map(({ at }) => at)));
	});

	test('sends no request while a job of another program runs, and says so in one hint', async () => {
		const others = await startOthersJob();
		const execution = await runRows('free no memory', {});
		expect(jsonsOf(execution, RUN)).toHaveLength(ROWS);
		expect(freeRequests()).toEqual([]);
		expect(hintsOf(execution)).toEqual([
			'The memory of ComfyUI was not freed, because 1 job is still queued or running. To free it in this case too, turn on Free Memory Even If Others Wait.',
		]);
		await finishOthersJob(others);
	});

	test('sends one request while a job of another program runs if Free Memory Even If Others Wait is on', async () => {
		const others = await startOthersJob();
		const execution = await runRows('free memory anyway', { freeMemoryEvenIfOthersWait: true });
		expect(jsonsOf(execution, RUN)).toHaveLength(ROWS);
		expect(hintsOf(execution) ?? []).toEqual([]);
		expect(freeRequests()).toEqual([FREED]);
		expect(session.sandbox.ledger.frees).toMatchObject([{ unfinishedJobs: 1 }]);
		await finishOthersJob(others);
	});
});

describe('a ComfyUI behind a user and a password', () => {
	const PASSWORD = 'a right sécret: 1';
	const WRONG = 'a-wrong-secret';
	const AUTHORIZATION = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;
	const signIn = (password: string) => ({ signIn: 'basic', user: 'ann', password, engineIsElsewhere: false });
	const REJECTED = /^The server at http:\/\/127\.0\.0\.1:\d+ did not accept the sign-in \(HTTP 401\)/;
	const CHECK_FIELDS = 'Check User and Password in the Comfy Self-Hosted API credential.';

	beforeEach(() => session.sandbox.configure({ engineAuthorization: AUTHORIZATION }));

	/** Saves the credential and tests it, as the editor does. */
	async function testCredential(password: string) {
		const document = serverDocument(session, signIn(password));
		const [saved] = await importCredentials(session.rest, [document]);
		return await session.rest.testCredential({ ...saved!, data: document.data });
	}

	const run = (): WorkflowNode => onServer(RUN, { workflow: JSON.stringify(quick) });

	test('accepts all requests of our nodes and of HTTP Request with the right password', async () => {
		expect((await testCredential(PASSWORD)).status).toBe('OK');
		const httpRequest: WorkflowNode = {
			...node('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, {
				url: `${session.sandbox.urls.engine}/system_stats`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'comfySelfHostedApi',
				options: {},
			}),
			credentials: { comfySelfHostedApi: { id: null, name: '' } },
		};
		const execution = await runOnServer('signed in', [run(), httpRequest], signIn(PASSWORD));
		expect(jsonsOf(execution, httpRequest.name)).toMatchObject([{ system: { os: 'sandbox' } }]);
		expect(jsonsOf(execution, RUN)).toMatchObject([{ interface: 'engine', status: 'succeeded' }]);
		expect(itemsOf(execution, RUN)[0]?.binary?.data?.mimeType).toBe('image/png');
		const requests = session.sandbox.requests(undefined, 'engine');
		expect(new Set(requests.map(({ headers }) => headers.authorization))).toEqual(new Set([AUTHORIZATION]));
		expect(requests.filter(({ status }) => status === 401)).toEqual([]);
	});

	test('rejects a wrong password: the test of the credential and the node name the fields, show no password and submit nothing', async () => {
		const { status, message } = await testCredential(WRONG);
		expect(status).toBe('Error');
		expect(message).toMatch(REJECTED);
		expect(message).toContain(CHECK_FIELDS);

		const execution = await runOnServer('a wrong password', [run()], signIn(WRONG));
		expect(execution.status).toBe('error');
		const { error } = execution.data.resultData;
		expect(error?.message).toMatch(REJECTED);
		expect(error?.description).toContain(CHECK_FIELDS);
		expect(JSON.stringify([message, execution.data])).not.toContain(WRONG);
		expect(session.sandbox.ledger.runs).toEqual([]);
	});
});

describe('an input of a model with Value From set to Choice', () => {
	const choice = (value: string) => ({ __rl: true, mode: 'list', value, cachedResultName: value });
	const runWith = (value: string): WorkflowNode =>
		onServer(RUN, {
			workflow: JSON.stringify(textToImage),
			inputs: { values: [{ input: { __rl: true, mode: 'list', value: '4.ckpt_name' }, valueFrom: 'choice', choice: choice(value) }] },
		});

	test('lists the models of ComfyUI that contain the search text, and the job loads the chosen one', async () => {
		const [saved] = await saveServer(session);
		const edited = { ...runWith(''), credentials: { comfySelfHostedApi: { id: saved!.id, name: saved!.name } } };
		const list = { parameter: 'inputs.values[0].choice', methodName: 'searchChoices', node: edited };
		const { results } = await session.rest.listResults(list, { filter: 'midn' });
		expect(results.map(({ value }) => value)).toEqual(['midnight_v1.safetensors']);

		const [item] = jsonsOf(await runOnServer('a chosen model', [runWith('midnight_v1.safetensors')]), RUN);
		expect(item?.status).toBe('succeeded');
		expect(session.sandbox.job(String(item?.job_id))?.graph['4']?.inputs.ckpt_name).toBe('midnight_v1.safetensors');
	});

	test('names similar models if ComfyUI does not have the chosen one, and submits nothing', async () => {
		const execution = await runOnServer('a missing model', [runWith('daylight_v1.safetensors')]);
		const { error } = execution.data.resultData;
		expect(error?.message).toMatch(/^Input 1 \(.*ckpt_name\) does not offer the value "daylight_v1\.safetensors"$/);
		expect(error?.description).toMatch(/^Nothing was sent\. Similar values: daylight_v2\.safetensors/);
		expect(session.sandbox.ledger.runs).toEqual([]);
	});
});
