import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { appText } from '../../support/savedApps';
import { until } from '../../support/until';
import { fieldsIn, filled } from '../support/apps';
import { type NodeRun, runNode, startNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { colorGraph, invertGraph } from '../support/graphs';
import { fileItem, uploadRun } from '../support/files';
import { solidPicture } from '../support/pictures';
import { sharedSandbox } from '../support/sandbox';

const sandbox = sharedSandbox();

const submit = async (parameters: IDataObject, more: Partial<NodeRun> = {}) =>
	await runNode({
		node: 'comfySubmitWorkflow',
		credential: credentialFor(sandbox),
		parameters: { workflowSource: 'json', inputs: {}, inputFiles: {}, options: {}, ...parameters } as IDataObject,
		...more,
	});

const formOf = async (name: string, changes: IDataObject) =>
	filled((await fieldsIn(credentialFor(sandbox), appText(name))).fields, changes);
const posts = () => sandbox.requests('POST /api/v2/jobs').length;
const graphOf = (jobId: unknown) => sandbox.job(String(jobId))?.graph;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the workflow', () => {
	it.each([
		['an object', (graph: object) => graph],
		['text', (graph: object) => JSON.stringify(graph)],
	])('is taken as %s', async (_, shape) => {
		const { status, outputs } = await submit({ workflow: shape(colorGraph(10)) as IDataObject });
		expect(status).toBe('success');
		const item = outputs[0]?.[0]?.json;
		expect(item).toMatchObject({ interface: 'v2', idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/) });
		expect(item).toHaveProperty('status', item?.service_status);
		expect(item).not.toHaveProperty('error');
		expect(graphOf(item?.job_id)).toEqual(colorGraph(10));
	});

	it('is read from a binary JSON file', async () => {
		const content = Buffer.from(JSON.stringify(colorGraph(11)));
		const { outputs } = await submit(
			{ workflowSource: 'file', workflowBinaryField: 'graph' },
			{ items: [{ files: { graph: { content, fileName: 'graph.json', mimeType: 'application/json' } } }] },
		);
		expect(graphOf(outputs[0]?.[0]?.json.job_id)).toEqual(colorGraph(11));
	});

	it.each([
		[
			'in the editor’s format without a node that would run',
			{ nodes: [], links: [], last_node_id: 1 },
			/Workflow cannot be converted: nothing in it would run/,
			/Enable its nodes in ComfyUI/,
		],
		['that is not JSON', '{"1": ', /not readable JSON/, /Nothing was sent/],
		['that is empty', '', /Workflow is empty/, /Paste the workflow/],
		['that is as the field begins', '{}', /Workflow is empty/, /Paste the workflow/],
		['that an expression found to be empty', {}, /Workflow is empty/, /check that its expression/],
		['without nodes', { prompt: {} }, /holds no nodes/, /Export \(API\)/],
	])('%s is refused before anything is sent', async (_, workflow, message, advice) => {
		const { error } = await submit({ workflow });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(error?.context.itemIndex).toBe(0);
		expect(posts()).toBe(0);
	});

	it('with an unknown class is refused by the service, naming node and class', async () => {
		const { error } = await submit({ workflow: { '4': { class_type: 'NoSuchNode', inputs: {} } } });
		expect(error?.message).toMatch(/cannot run this workflow/);
		expect(`${error?.message}\n${error?.description}`).toMatch(/NoSuchNode/);
		expect(error?.httpCode).toBe('422');
	});

	it('with a file the service does not have says to upload it first', async () => {
		const { error } = await submit({ workflow: invertGraph({ __type: 'core/ASSET', info: { id: 'nope' } }) });
		expect(error?.message).toMatch(/not stored in the service/);
		expect(error?.description).toMatch(/Comfy Upload Asset/);
	});
});

describe('input values', () => {
	it('are set by node id or title, for each item from an expression', async () => {
		const { outputs } = await submit(
			{
				workflow: colorGraph(0),
				options: { inputValues: '={{ { Canvas: { color: $json.color }, "2": { filename_prefix: "p" + $json.color } } }}' },
			},
			{ items: [{ json: { color: 5 } }, { json: { color: 6 } }] },
		);
		const graphs = outputs[0]?.map((item) => graphOf(item.json.job_id));
		expect(graphs?.map((graph) => graph?.['1']?.inputs.color)).toEqual([5, 6]);
		expect(graphs?.map((graph) => graph?.['2']?.inputs.filename_prefix)).toEqual(['p5', 'p6']);
	});

	it.each([
		['{"Canvass": {"color": 1}}', /no node with the id or title "Canvass"/, /1 \(Canvas\)/],
		['{"1": {"colour": 1}}', /no input "colour"/, /color/],
		['[1]', /Input Values/, /Nothing was sent/],
	])('%s is refused before anything is sent', async (inputValues, message, advice) => {
		const { error } = await submit({ workflow: colorGraph(0), options: { inputValues } });
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(advice);
		expect(posts()).toBe(0);
	});
});

describe('input files', () => {
	const files = (reference: unknown) => ({ values: [{ input: 'Picture · image', reference }] }) as IDataObject;

	it('place an uploaded asset’s reference', async () => {
		const upload = await runNode(uploadRun(credentialFor(sandbox), [fileItem(await solidPicture('red'), 'red.png')]));
		const item = upload.outputs[0]?.[0]?.json as IDataObject;
		for (const reference of ['={{ $json.reference }}', '={{ JSON.stringify($json.reference) }}']) {
			const { outputs } = await submit({ workflow: invertGraph(), inputFiles: files(reference) }, { items: [{ json: item }] });
			expect(graphOf(outputs[0]?.[0]?.json.job_id)?.['1']?.inputs.image).toEqual(item.reference);
		}
	});

	it('without a reference say where to get one', async () => {
		const { error } = await submit({ workflow: invertGraph(), inputFiles: files('={{ $json.reference }}') });
		expect(error?.message).toMatch(/^Reference of File 1 \(Picture · image\) is empty/);
		expect(error?.description).toMatch(/Comfy Upload Asset/);
	});
});

describe('extra data and the partner key', () => {
	it('sends the credential’s partner key under its field name only where asked for', async () => {
		const before = sandbox.ledger.partnerKeys.length;
		await submit({ workflow: colorGraph(20) });
		expect(sandbox.ledger.partnerKeys).toHaveLength(before);
		await submit({ workflow: colorGraph(21), options: { sendPartnerKey: true } });
		expect(sandbox.ledger.partnerKeys.slice(before)).toEqual([sha256(sandbox.keys.partnerKey)]);
		expect(sandbox.ledger.runs.at(-1)?.partnerKeyField).toBe('api_key_comfy_org');
	});

	it('sends the API key itself where the credential has no partner key', async () => {
		const credential = credentialFor(sandbox, 'hosted', { partnerApiKey: '' });
		await submit({ workflow: colorGraph(22), options: { sendPartnerKey: true } }, { credential });
		expect(sandbox.ledger.partnerKeys.at(-1)).toBe(sha256(sandbox.keys.apiKey));
	});

	it('says which field is empty on a self-hosted credential without a partner key', async () => {
		const credential = credentialFor(sandbox, 'self_hosted', { partnerApiKey: '' });
		const { error } = await submit({ workflow: colorGraph(23), options: { sendPartnerKey: true } }, { credential });
		expect(error?.description).toMatch(/Partner API Key in the Comfy Self-Hosted API credential/);
	});

	it('sends extra data as it is, and refuses what is no object without repeating it', async () => {
		await submit({ workflow: colorGraph(24), options: { extraData: { api_key_comfy_org: 'from-extra' } } });
		expect(sandbox.ledger.partnerKeys.at(-1)).toBe(sha256('from-extra'));
		const { error, stored } = await submit({ workflow: colorGraph(25), options: { extraData: '={{ "canary-" + "secret" }}' } });
		expect(error?.message).toMatch(/Extra Data is not a JSON object/);
		expect(`${error?.message} ${error?.description}`).not.toContain('canary-secret');
		expect(stored).not.toContain('canary-secret');
	});
});

describe('the idempotency key', () => {
	const keyOf = () => sandbox.ledger.runs.at(-1)?.idempotencyKey;

	it('is derived by default: other items and executions have other keys', async () => {
		const items = [{ json: { color: 30 } }, { json: { color: 31 } }];
		const parameters = { workflow: colorGraph(0), options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } };
		const first = await submit(parameters, { items });
		const second = await submit(parameters, { items, executionId: 'execution-2' });
		const keys = [first, second].flatMap(({ outputs }) => outputs[0]?.map((item) => item.json.idempotency_key));
		expect(new Set(keys).size).toBe(4);
	});

	it('can be the user’s own', async () => {
		const { outputs } = await submit({ workflow: colorGraph(32), options: { idempotencyKeyMode: 'custom', idempotencyKey: 'order-7' } });
		expect(keyOf()).toBe('order-7');
		expect(outputs[0]?.[0]?.json.idempotency_key).toBe('order-7');
	});

	it('that is the same for several items is refused before anything is sent', async () => {
		const { error } = await submit(
			{ workflow: colorGraph(33), options: { idempotencyKeyMode: 'custom', idempotencyKey: 'same' } },
			{ items: [{}, {}, {}] },
		);
		expect(error?.message).toMatch(/Items 0 and 1 have the same Custom Idempotency Key/);
		expect(error?.context.itemIndex).toBe(1);
		expect(posts()).toBe(0);
	});

	it('that is empty names its field', async () => {
		const { error } = await submit({ workflow: colorGraph(34), options: { idempotencyKeyMode: 'custom', idempotencyKey: '' } });
		expect(error?.message).toMatch(/Custom Idempotency Key is empty/);
	});

	it.each(['ключ', 'a'.repeat(256), 'line\nbreak'])('that cannot be sent names its field (%j)', async (idempotencyKey) => {
		const { error } = await submit({ workflow: colorGraph(38), options: { idempotencyKeyMode: 'custom', idempotencyKey } });
		expect(error?.message).toMatch(/Custom Idempotency Key cannot be sent/);
		expect(posts()).toBe(0);
	});

	it('used by somebody else before is a clear refusal', async () => {
		const own = { idempotencyKeyMode: 'custom', idempotencyKey: 'order-8' };
		await submit({ workflow: colorGraph(35), options: own });
		const { error } = await submit({ workflow: colorGraph(36), options: own }, { executionId: 'execution-9' });
		expect(error?.message).toMatch(/already been used/);
	});

	it('can be left out', async () => {
		const { outputs } = await submit({ workflow: colorGraph(37), options: { idempotencyKeyMode: 'none' } });
		expect(keyOf()).toBeUndefined();
		expect(outputs[0]?.[0]?.json).not.toHaveProperty('idempotency_key');
	});
});

describe('refusals', () => {
	it('402: says that nothing was submitted', async () => {
		sandbox.setCredits('main', 0);
		const { error } = await submit({ workflow: colorGraph(40) });
		expect(error?.message).toMatch(/not enough credits/);
		expect(error?.httpCode).toBe('402');
	});

	it('a queue that stays full beyond the budget names the option to raise', async () => {
		sandbox.inject({ on: 'POST /api/v2/jobs', times: Infinity, answer: { status: 429, code: 'queue_full', retryAfter: 1 } });
		const { error } = await submit({ workflow: colorGraph(41), options: { keepTryingForSeconds: 1 } });
		expect(error?.message).toMatch(/queue of the service is full/);
		expect(error?.description).toMatch(/Keep Trying For \(Seconds\)/);
	});

	it('a queue that is full for a moment is waited for, with the same key', async () => {
		const { used } = {
			used: sandbox.inject({ on: 'POST /api/v2/jobs', times: 1, answer: { status: 429, code: 'queue_full', retryAfter: 1 } }),
		};
		const { status } = await submit({ workflow: colorGraph(42) });
		expect(status).toBe('success');
		expect(used.used).toBe(1);
		const keys = sandbox
			.requests('POST /api/v2/jobs')
			.slice(-2)
			.map(({ headers }) => headers['idempotency-key']);
		expect(keys[0]).toBe(keys[1]);
	});

	it.each([
		['not_ready', /not ready yet/],
		['stopped', /deployment is stopped/],
	] as const)('a deployment that is %s', async (state, message) => {
		sandbox.setDeploymentState(state);
		const { error } = await submit(
			{ workflow: colorGraph(43), options: { keepTryingForSeconds: 0 } },
			{ credential: credentialFor(sandbox, 'deployment') },
		);
		expect(error?.message).toMatch(message);
	});

	it('a wrong key names the field', async () => {
		const { error, stored } = await submit(
			{ workflow: colorGraph(44) },
			{ credential: credentialFor(sandbox, 'hosted', { apiKey: 'canary-wrong' }) },
		);
		expect(error?.message).toMatch(/did not accept the API Key/);
		expect(error?.httpCode).toBe('401');
		expect(stored).not.toContain('canary-wrong');
	});
});

describe('a call of an agent', () => {
	const values = { values: [{ input: { __rl: true, mode: 'name', value: '5.steps' }, value: 3 }] };
	it.each([
		['nothing', async () => await Promise.resolve({}), 'fd7ede9cb4179f1a7d439c989679fd1831b2f979787e92dc8066c254f84c9c5e'],
		[
			'values and rows',
			async () => await Promise.resolve({ inputs: values, options: { inputValues: { '5': { seed: 7 } } } }),
			'278b53d7169d018a1c2de1f9694f50b8a1d5d1a6e4bb738780b88cfd9ca3a31c',
		],
		[
			'the form of an app',
			async () => ({ appInputs: await formOf('renamed', { 'What to draw': 'a hare' }) }),
			'3d29c91f3ed13d2cb9a86ef46b3fa475c1b75b9830e9b13905aeeb2bd5a1f83e',
		],
	])('is known by the same hash in every version of this package where it enters %s', async (_, parameters, hash) => {
		const entered = { workflow: appText('renamed'), ...(await parameters()) } as IDataObject;
		const result = await submit(entered, { asTool: true });
		expect(result.outputs[0]?.[0]?.json).toMatchObject({ job_id: expect.any(String), idempotency_key: expect.any(String) });
		const entries = result.contextData['node:Under Test']?.comfySubmissions;
		expect(Object.keys(entries as IDataObject)).toEqual([`0:0:${hash}`]);
	});
});

describe('a stop', () => {
	it.each([
		[true, 3],
		[false, 0],
	])('cancels what was submitted, with Cancel On Stop %s: %d jobs', async (cancelOnStop, count) => {
		sandbox.configure({ workers: 0 });
		sandbox.inject({ on: 'POST /api/v2/jobs', skip: 2, fault: { kind: 'stall', ms: 300 } });
		const parameters = { workflow: colorGraph(45), workflowSource: 'json', inputs: {}, inputFiles: {} };
		const { result, stop } = startNode({
			node: 'comfySubmitWorkflow',
			credential: credentialFor(sandbox, 'deployment'),
			items: [{}, {}, {}],
			parameters: { ...parameters, options: { concurrency: 1, cancelOnStop } } as IDataObject,
		});
		await until(() => posts() === 3);
		const cancels = () => sandbox.requests('POST /api/v2/jobs/:id/cancel').length;
		stop();
		await result.catch(() => undefined);
		await until(() => cancels() >= count);
		expect(cancels()).toBe(count);
	});
});
