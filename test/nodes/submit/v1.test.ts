import { createHash } from 'node:crypto';

import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { credentialFor } from '../support/flavours';
import { colorGraph } from '../support/graphs';
import { jsons, submitRun } from '../support/submit';
import { runFaster } from '../../support/fastClock';
import { freshSandbox } from '../support/sandbox';
import { RETRY, storedContext } from '../support/retried';

runFaster(5);

const sandbox = freshSandbox();

const PROMPT = 'POST /api/prompt';
const perItem = { options: { inputValues: '={{ { Canvas: { color: $json.color } } }}' } };
const colors = (count: number) => Array.from({ length: count }, (_, color) => ({ json: { color } }));
const v1 = () => credentialFor(sandbox, 'v1');
const unknownClass = { '4': { class_type: 'NoSuchNode', inputs: {} } };
const missingInputs = {
	'4': { class_type: 'EmptyImage', inputs: {} },
	'5': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'x' } },
};

it('submits over v1, without a key, and says so in v2’s words', async () => {
	const result = await runNode(submitRun(v1(), colorGraph(1)));
	const [item] = jsons(result);
	expect(item).toMatchObject({ interface: 'v1', status: 'queued', service_status: 'submitted', outputs: [], job_error: null });
	expect(item).not.toHaveProperty('idempotency_key');
	expect(item).not.toHaveProperty('error');
	expect(sandbox.requests(PROMPT).map(({ headers }) => [headers['x-api-key'], headers['idempotency-key'], headers.authorization])).toEqual([
		[sandbox.keys.apiKey, undefined, undefined],
	]);
	expect(sandbox.requests('POST /api/v2/jobs')).toEqual([]);
});

it('a key of the user’s own, left from v2, is not sent', async () => {
	const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'order-7' };
	const { status } = await runNode(submitRun(v1(), colorGraph(2), { parameters: { options } }));
	expect(status).toBe('success');
	expect(sandbox.requests(PROMPT)[0]?.headers['idempotency-key']).toBeUndefined();
});

it('sends the partner key where asked for', async () => {
	await runNode(submitRun(v1(), colorGraph(3), { parameters: { options: { sendPartnerKey: true } } }));
	expect(sandbox.ledger.partnerKeys).toEqual([createHash('sha256').update(sandbox.keys.partnerKey).digest('hex')]);
});

describe.each(['status_400', 'ok_with_error', 'ok_with_node_errors'] as const)('a rejection (%s)', (v1Rejections) => {
	it('reads as over v2, names the node, and made no job', async () => {
		sandbox.configure({ v1Rejections });
		const { status, error } = await runNode(submitRun(v1(), missingInputs));
		expect(status).toBe('error');
		expect(error?.message).toMatch(/^The service cannot run this workflow: /);
		expect(error?.description).toMatch(/Node 4 \(EmptyImage\) width: /);
		expect(error?.description).toMatch(/No job was created/);
		expect(error?.context).toMatchObject({ itemIndex: 0, data: { code: 'invalid_workflow' } });
		expect(sandbox.ledger.runs).toEqual([]);
	});

	it('of an unknown class names the class', async () => {
		sandbox.configure({ v1Rejections });
		const { error } = await runNode(submitRun(v1(), unknownClass));
		expect(`${error?.message}\n${error?.description}`).toMatch(/NoSuchNode/);
	});

	it('leaves nothing in doubt: the mended workflow is sent by the next try', async () => {
		sandbox.configure({ v1Rejections });
		const first = await runNode(submitRun(v1(), unknownClass));
		const { status } = await runNode(submitRun(v1(), colorGraph(4), { contextData: first.contextData }));
		expect(status).toBe('success');
		expect(sandbox.ledger.runs).toHaveLength(1);
	});
});

describe('a lost answer', () => {
	it('is not sent again, and the failure says that it may exist', async () => {
		sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		const { error } = await runNode(submitRun(v1(), colorGraph(5)));
		expect(error?.message).toMatch(/may have been submitted,/);
		expect(error?.description).toMatch(/not sent again.*billed/);
		expect(sandbox.requests(PROMPT)).toHaveLength(1);
	});

	it('is looked for by the next try of Retry On Fail, and its job is taken', async () => {
		sandbox.inject({ on: PROMPT, fault: { kind: 'drop_after' } });
		const result = await runNode(submitRun(v1(), colorGraph(5), { settings: RETRY }));
		expect(result.error).toBeUndefined();
		expect(sandbox.requests(PROMPT)).toHaveLength(1);
		expect(jsons(result)).toMatchObject([{ job_id: sandbox.ledger.runs[0]?.jobId }]);
		expect(jsons(result)[0]).not.toHaveProperty('recovered');
	});

	it.each([
		['its job is found', 1, 'drop_after'],
		['there is none: that stays in doubt', 0, 'drop_before'],
	] as const)('is not sent again by Retry execution, while the items that were answered keep their jobs: %s', async (_name, made, kind) => {
		sandbox.inject({ on: PROMPT, skip: 1, fault: { kind } });
		const base = { items: colors(3), parameters: { ...perItem, options: { ...perItem.options, concurrency: 1 } }, ...CONTINUE };
		const first = await runNode(submitRun(v1(), colorGraph(0), base));
		expect(jsons(first).map(({ error }) => error === undefined)).toEqual([true, false, true]);
		const contextData = storedContext(first);
		const second = await runNode(submitRun(v1(), colorGraph(0), { ...base, contextData, executionId: 'another' }));
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

it('a connection that is refused names Hosted URL', async () => {
	const credential = credentialFor(sandbox, 'v1', { hostedUrl: 'http://127.0.0.1:9' });
	const { error } = await runNode(
		submitRun(credential, colorGraph(7), { parameters: { options: { keepTryingForSeconds: 0, waitForServerMinutes: 0 } } }),
	);
	expect(error?.message).toMatch(/connection was refused/);
	expect(error?.description).toMatch(/Hosted URL in the Comfy API credential/);
});

it('an inactive subscription is said at once: waiting does not help', async () => {
	sandbox.setSubscription('main', false);
	const { error } = await runNode(submitRun(v1(), colorGraph(8)));
	expect(error?.message).toMatch(/no active subscription/);
	expect(error?.description).toMatch(/waiting does not help/);
	expect(sandbox.requests(PROMPT)).toHaveLength(1);
});

it('no credits, and a wrong key', async () => {
	sandbox.setCredits('main', 0);
	expect((await runNode(submitRun(v1(), colorGraph(9)))).error?.message).toMatch(/not enough credits/);
	const wrong = credentialFor(sandbox, 'v1', { apiKey: 'canary-wrong' });
	const { error, stored } = await runNode(submitRun(wrong, colorGraph(10)));
	expect(error?.message).toMatch(/did not accept the API Key/);
	expect(stored).not.toContain('canary-wrong');
});
