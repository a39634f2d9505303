/** Interfaces that accept no idempotency key (engine, v1), and items that change their interface. */
import type { IDataObject } from 'n8n-workflow';

import { deadOrigin } from '../../client/support/deadOrigin';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { hurryClock } from '../support/clock';
import { runNode, startNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { COLOR_OF_ITEM, colorGraph, colorItems } from '../support/graphs';
import { RETRY, retryExecution } from '../support/retried';
import { freshSandbox } from '../support/sandbox';
import { jsons, submitRun } from '../support/submit';

runFaster(5);
const sandbox = freshSandbox();

describe.each(['engine', 'bare_engine'] as const)('over %s', (way) => {
	const SUBMIT = 'POST /api/prompt';
	const credential = () => credentialFor(sandbox, way);
	const prompts = () => sandbox.requests(SUBMIT, 'engine').length;

	it('Retry On Fail after a lost answer gives one execution', async () => {
		sandbox.inject({ on: SUBMIT, surface: 'engine', fault: { kind: 'drop_after' } });
		const run = submitRun(credential(), colorGraph(61), { settings: RETRY, parameters: { options: { keepTryingForSeconds: 0 } } });
		const result = await runNode(run);
		expect(result.status).toBe('success');
		expect(sandbox.ledger.runs).toHaveLength(1);
		expect(jsons(result)[0]).toMatchObject({ job_id: sandbox.ledger.runs[0]?.jobId, interface: 'engine' });
		expect(prompts()).toBe(1);
	});

	it('Retry execution after a lost answer gives one execution', async () => {
		sandbox.inject({ on: SUBMIT, surface: 'engine', fault: { kind: 'drop_after' } });
		const looks = sandbox.inject({ on: 'GET /api/jobs/:id', surface: 'engine', times: Infinity, answer: { status: 503, html: true } });
		const run = submitRun(credential(), colorGraph(62), { parameters: { options: { keepTryingForSeconds: 0 } } });
		hurryClock();
		const first = await runNode(run);
		jest.restoreAllMocks();
		expect(first.error?.message).toMatch(/may have been submitted,/);
		expect(looks.used).toBeGreaterThan(0);
		sandbox.clearFaults();
		const second = await runNode(retryExecution(run, first));
		expect(second.status).toBe('success');
		expect(sandbox.ledger.runs.map(({ jobId }) => jobId)).toEqual([jsons(second)[0]?.job_id]);
		expect(prompts()).toBe(1);
	});

	it('a stop before anything was sent leaves nothing unconfirmed, and Retry execution submits', async () => {
		await sandbox.stopEngine();
		const contextData: Record<string, IDataObject> = {};
		const run = submitRun(credential(), colorGraph(66));
		const { result, stop } = startNode({ ...run, contextData });
		if (way === 'engine') await until(() => JSON.stringify(contextData).includes('sent_at'));
		stop();
		await result.catch(() => undefined);
		await sandbox.startEngine();
		const second = await runNode({ ...run, contextData, executionId: 'another' });
		expect(second.status).toBe('success');
		expect(sandbox.ledger.runs).toHaveLength(1);
	});
});

describe('an unconfirmed submission over one interface is never sent over another', () => {
	const withoutPatience = { parameters: { options: { keepTryingForSeconds: 0 } } };
	const lostOver = async (proxyAddress: string, settings = {}) => {
		const credential = credentialFor(sandbox, 'self_hosted');
		sandbox.inject({ on: 'POST /api/v2/jobs', surface: 'self_hosted', fault: { kind: 'drop_after' } });
		const first = await runNode(submitRun(credential, colorGraph(71), withoutPatience));
		expect(first.error?.message).toMatch(/may have been submitted,/);
		sandbox.clearFaults();
		const again = { ...credential, data: { ...credential.data, baseUrl: proxyAddress } };
		return await runNode(retryExecution(submitRun(again, colorGraph(71), { ...withoutPatience, settings }), first));
	};

	it('by a retry while the proxy is down and the engine is up', async () => {
		const result = await lostOver(await deadOrigin(), RETRY);
		expect(result.error?.message).toMatch(/may have been submitted over the interface v2.*the server now uses the interface Engine/);
		expect(result.error?.description).toMatch(/would create a second job.*available again.*idempotency key is [0-9a-f-]{36}/s);
		expect(result.error?.context.data).toMatchObject({ kind: 'UnknownOutcomeError' });
		expect(sandbox.ledger.runs).toHaveLength(1);
		expect(sandbox.requests('POST /api/prompt', 'engine')).toEqual([]);
	});

	it('nor is a job of two that was submitted over the proxy before', async () => {
		const credential = credentialFor(sandbox, 'self_hosted');
		const run = submitRun(credential, colorGraph(0), { items: colorItems(2), parameters: { options: COLOR_OF_ITEM } });
		const first = await runNode(run);
		sandbox.restartEngine();
		const again = { ...credential, data: { ...credential.data, baseUrl: await deadOrigin() } };
		const second = await runNode(retryExecution({ ...run, ...CONTINUE, credential: again }, first));
		for (const [item, { job_id: jobId }] of jsons(first).entries()) {
			expect(jsons(second)[item]?.error).toContain(
				`Job ${String(jobId)} was submitted over the interface v2, but the server now uses the interface Engine`,
			);
		}
		expect(sandbox.ledger.runs).toHaveLength(2);
	});
});

const PROMPT = 'POST /api/prompt';
const v1 = () => credentialFor(sandbox, 'v1');
const missingInputs = {
	'4': { class_type: 'EmptyImage', inputs: {} },
	'5': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'x' } },
};

it('submits over v1 in v2’s words, without a key, also a custom one', async () => {
	const options = { idempotencyKeyMode: 'custom', idempotencyKey: '={{ "order-" + $itemIndex }}' };
	const items = jsons(await runNode(submitRun(v1(), colorGraph(1), { items: [{}, {}], parameters: { options } })));
	for (const item of items) {
		expect(item).toMatchObject({ interface: 'v1', status: 'queued', service_status: 'submitted', outputs: [], job_error: null });
		expect(item).not.toHaveProperty('idempotency_key');
		expect(item).not.toHaveProperty('error');
	}
	expect(sandbox.requests(PROMPT).map(({ headers }) => [headers['x-api-key'], headers['idempotency-key'], headers.authorization])).toEqual(
		Array(2).fill([sandbox.keys.apiKey, undefined, undefined]),
	);
	expect(sandbox.requests('POST /api/v2/jobs')).toEqual([]);
});

it.each(['status_400', 'ok_with_error', 'ok_with_node_errors'] as const)(
	'a rejection by v1 names the node, and leaves nothing unconfirmed: the next try sends the corrected workflow (%s)',
	async (v1Rejections) => {
		sandbox.configure({ v1Rejections });
		const { error, contextData } = await runNode(submitRun(v1(), missingInputs));
		expect(error?.message).toMatch(/^The server rejected this workflow: /);
		expect(error?.description).toMatch(/Node 4 \(EmptyImage\) width: /);
		expect(error?.description).toMatch(/No job was created/);
		expect(error?.context).toMatchObject({ itemIndex: 0, data: { code: 'invalid_workflow' } });
		expect(sandbox.ledger.runs).toEqual([]);
		expect((await runNode(submitRun(v1(), colorGraph(4), { contextData }))).status).toBe('success');
		expect(sandbox.ledger.runs).toHaveLength(1);
	},
);

describe('a lost answer of v1', () => {
	it.each([
		['its job is found', 1, 'drop_after'],
		['there is none, so it stays unconfirmed', 0, 'drop_before'],
	] as const)('is not sent again by Retry execution, while the items that were answered keep their jobs: %s', async (_name, made, kind) => {
		sandbox.inject({ on: PROMPT, skip: 1, fault: { kind } });
		const parameters = { options: { ...COLOR_OF_ITEM, concurrency: 1 } };
		const run = submitRun(v1(), colorGraph(0), { items: colorItems(3), parameters, ...CONTINUE });
		const first = await runNode(run);
		expect(jsons(first).map(({ error }) => error === undefined)).toEqual([true, false, true]);
		expect(jsons(first)[1]?.error_description).toMatch(/not submitted again.*billed/);
		const second = await runNode(retryExecution(run, first));
		expect(sandbox.requests(PROMPT)).toHaveLength(3);
		expect(sandbox.ledger.runs).toHaveLength(2 + made);
		expect(jsons(second)[0]?.job_id).toBe(jsons(first)[0]?.job_id);
		if (made === 1) expect(jsons(second).map(({ job_id }) => job_id)).toEqual(sandbox.ledger.runs.map(({ jobId }) => jobId));
		else expect(jsons(second)[1]?.error).toMatch(/may have been submitted,/);
	});

	it.each(['v1', 'hosted'] as const)('made over one interface is not sent over another either (then %s)', async (then) => {
		const first = then === 'v1' ? 'hosted' : 'v1';
		sandbox.inject({ on: first === 'v1' ? PROMPT : 'POST /api/v2/jobs', answer: { status: 500, code: 'upstream_error' }, late: true });
		const options = { keepTryingForSeconds: 0 };
		const { contextData } = await runNode(submitRun(credentialFor(sandbox, first), colorGraph(6), { parameters: { options } }));
		const second = await runNode(submitRun(credentialFor(sandbox, then), colorGraph(6), { contextData, parameters: { options } }));
		expect(second.error?.message).toMatch(/may have been submitted over the interface/);
		expect(sandbox.ledger.runs).toHaveLength(1);
	});
});
