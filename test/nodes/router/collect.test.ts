/** Whatever has been sent for an item is collected by every later try of it. */
import type { IDataObject } from 'n8n-workflow';

import { type NodeResult, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { byId, dataOf, jsonRun, routerCredential, routerRun, RUNS } from '../support/router';
import { laterRun, RETRY, storedContext } from '../support/retried';
import { jsons } from '../support/submit';
import { countTurns } from '../../support/turnClock';
import { freshSandbox } from '../support/sandbox';

countTurns(5);

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });

const SUBMITS = 'POST /v2/models/:provider/:model/requests';
const STATUS = 'GET /v2/models/:provider/:model/requests/:id/status';
/** Another one in each try. */
const RANDOM = { inputJson: '={{ { prompt: String(Math.random()) } }}' };
/** No attempt of the client's own after the first. */
const ONE_ATTEMPT = { ...RANDOM, maxWaitMinutes: 0 };
const X = { inputJson: '{"prompt": "x"}' };
const HOUR_MS = 60 * 60 * 1000;

const run = (more: object, model = 'lab/free') => jsonRun(routerCredential(sandbox), model, {}, more);
const keysOf = (on: string) => sandbox.requests(on).map(({ headers }) => headers['idempotency-key']);
const billed = () => sandbox.ledger.routerRuns.length;
type Context = NodeResult['contextData'];
const nextExecution = (result: NodeResult) => ({ contextData: storedContext(result), executionId: crypto.randomUUID() });
const outputOf = (item: IDataObject | undefined) => item?.output as IDataObject;

describe('a request that was accepted', () => {
	it('is reported as possibly billed when a read of it is rejected, and a later try collects it', async () => {
		sandbox.inject({ on: STATUS, answer: { status: 401, code: 'unauthorized' } });
		const more = { parameters: { ...RANDOM, delivery: 'queued' } };
		const first = await runNode(run(more));
		expect(first.error?.message).toMatch(/^The result did not arrive\. Last attempt: The router did not accept the API Key/);
		expect(first.error?.description).toMatch(/may be billed[\s\S]*Retry this execution within 24 hours/);
		expect(first.error?.description).not.toMatch(/Nothing was run/);
		expect(dataOf(first)).toMatchObject({ queue_request_id: expect.any(String), idempotency_key: keysOf(SUBMITS)[0] });
		const second = await runNode(run({ ...more, ...nextExecution(first) }));
		expect(jsons(second)).toMatchObject([{ queue_request_id: dataOf(first).queue_request_id }]);
		expect([billed(), keysOf(SUBMITS).length]).toEqual([1, 1]);
	});

	it('is collected when the answer of a run was lost and the next answer is a 404', async () => {
		sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
		sandbox.inject({ on: RUNS, answer: { status: 404, code: 'model_not_found' } });
		const result = await runNode(run({ settings: RETRY, parameters: RANDOM }));
		expect(result.status).toBe('success');
		expect([billed(), new Set(keysOf(RUNS)).size]).toEqual([1, 1]);
	});
});

describe.each([
	['synchronous', RUNS],
	['queued', SUBMITS],
])('a random input, %s', (delivery, on) => {
	const lost = { parameters: { ...ONE_ATTEMPT, delivery } };
	const calm = { parameters: { ...RANDOM, delivery } };

	it('returns the result of the input that was sent first, and says so', async () => {
		sandbox.inject({ on, fault: { kind: 'drop_after' } });
		const first = await runNode(run(lost));
		const [key] = keysOf(on);
		expect(first.error?.message).toMatch(/^The result did not arrive/);
		expect(first.error?.description).toContain(`Idempotency key: ${key}`);
		expect(first.error?.description).toMatch(/may be billed[\s\S]*Retry this execution within 24 hours/);
		expect(dataOf(first)).toMatchObject({ kind: 'UnknownOutcomeError', idempotency_key: key, model: 'lab/free' });
		const second = await runNode(run({ ...calm, ...nextExecution(first) }));
		const [item] = jsons(second);
		expect(second.status).toBe('success');
		expect(outputOf(item).input).toEqual(item?.sent_input);
		expect(second.hints).toEqual([expect.stringMatching(/^Item 0: the result belongs to the input that an earlier try sent/)]);
		expect([billed(), new Set(keysOf(on)).size]).toEqual([1, 1]);
		// Also when the expression of the input fails now, and that of the model returns another one.
		const third = await runNode(run({ parameters: { delivery, inputJson: 'no JSON' }, ...nextExecution(second) }, 'lab/refusing-charged'));
		expect(jsons(third)).toMatchObject([{ model: 'lab/free', output: outputOf(item) }]);
		expect(third.hints).toEqual(second.hints);
		expect(billed()).toBe(1);
	});

	it('is not run again when another item fails', async () => {
		const items = [0, 1].map((n) => ({ json: { n } }));
		sandbox.inject({ on, skip: 1, answer: { status: 402, code: 'insufficient_credits' } });
		const result = await runNode(run({ settings: RETRY, items, parameters: { ...calm.parameters, options: { concurrency: 1 } } }));
		const outputs = jsons(result);
		expect(outputs).toHaveLength(2);
		expect(outputs[0]).toMatchObject({ sent_input: outputOf(outputs[0]).input });
		expect(outputs[1]).not.toHaveProperty('sent_input');
		expect(billed()).toBe(2);
	});
});

it('an input that was too large to be stored is collected with the same input only, and the message says so', async () => {
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	const inputOf = (seed: string) => ({ inputJson: `={{ { prompt: "x".repeat(70000) + ${seed} } }}`, maxWaitMinutes: 0 });
	const first = await runNode(run({ parameters: inputOf('1') }, 'lab/open'));
	expect(JSON.stringify(first.contextData).length).toBeLessThan(10_000);
	const changed = await runNode(run({ parameters: inputOf('Math.random()'), ...nextExecution(first) }, 'lab/open'));
	expect(changed.error?.message).toMatch(/has changed since it was sent/);
	expect(changed.error?.description).toMatch(/may be billed[\s\S]*Idempotency key: \S+/);
	expect(keysOf(RUNS)).toHaveLength(1);
	const same = await runNode(run({ parameters: inputOf('1'), ...nextExecution(changed) }, 'lab/open'));
	expect(jsons(same)).toMatchObject([{ replayed: true }]);
	expect(billed()).toBe(1);
});

it('a collected run has the hint about charges of the model that ran, whichever model is entered now', async () => {
	sandbox.inject({ on: RUNS, times: 2, fault: { kind: 'drop_after' } });
	const lost = { parameters: { ...X, maxWaitMinutes: 0 }, items: [{}, {}], ...CONTINUE };
	const first = await runNode(run(lost, 'aurora/image-2'));
	expect(jsons(first)).toMatchObject([{ error: expect.any(String) }, { error: expect.any(String) }]);
	const parameters = { ...X, model: byId('={{ ["lab/refusing-charged", "lab/free"][$itemIndex] }}') };
	const second = await runNode(run({ ...lost, parameters, ...nextExecution(first) }));
	expect(jsons(second)).toMatchObject([{ model: 'aurora/image-2' }, { model: 'aurora/image-2' }]);
	expect(second.hints.filter((hint) => hint.includes('charges'))).toEqual([expect.stringMatching(/whether aurora\/image-2 charges/)]);
	expect(billed()).toBe(2);
});

it('a corrected input runs under the same key after a rejection', async () => {
	const first = await runNode(run({ parameters: { inputJson: '{}' } }));
	expect(first.status).toBe('error');
	const { executionContext } = first;
	const second = await runNode(run({ parameters: X, contextData: storedContext(first), mode: 'retry', executionContext }));
	expect(second.status).toBe('success');
	expect(jsons(second)[0]).not.toHaveProperty('recovered');
	expect(billed()).toBe(1);
	expect([keysOf(RUNS).length, new Set(keysOf(RUNS)).size]).toEqual([2, 1]);
});

it.each([
	['a custom key: a corrected input is sent next', 'custom', { prompt: 'y' }],
	['an automatic key: what was sent is sent again', 'automatic', { prompt: 'x' }],
] as const)('after a 409 to the first attempt with %s', async (_name, idempotencyKeyMode, sent) => {
	const parameters = { options: { idempotencyKeyMode, idempotencyKey: 'order-2' } };
	sandbox.inject({ on: RUNS, answer: { status: 409, code: 'invalid_input' } });
	const first = await runNode(run({ parameters: { ...X, ...parameters } }));
	expect(first.status).toBe('error');
	const contextData = storedContext(first);
	const second = await runNode(
		run({
			parameters: { inputJson: '{"prompt": "y"}', ...parameters },
			contextData,
			mode: 'retry',
			executionContext: first.executionContext,
		}),
	);
	expect(jsons(second)).toMatchObject([{ output: { input: sent } }]);
	expect(billed()).toBe(1);
});

it('a Custom key that is the same for two items is rejected before anything is sent', async () => {
	const parameters = { options: { idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' } };
	const { error } = await runNode(run({ ...CONTINUE, items: [{}, {}], parameters: { ...X, ...parameters } }));
	expect(error?.message).toMatch(/same Custom Idempotency Key/);
	expect(sandbox.requests()).toEqual([]);
});

it('as an AI tool, a later run asks again for an unresolved one under its recorded key', async () => {
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	const first = await runNode(run({ asTool: true, parameters: { ...X, maxWaitMinutes: 0 } }));
	expect(jsons(first)).toMatchObject([{ error: expect.any(String) }]);
	const second = await runNode(run({ asTool: true, parameters: X, contextData: laterRun(first), executionId: 'another' }));
	expect(jsons(second)).toMatchObject([{ replayed: true }]);
	expect(billed()).toBe(1);
});

describe('a key older than 24 hours is not sent again', () => {
	const aged = (contextData: Context): Context => {
		const copy = storedContext({ contextData });
		for (const field of Object.values(copy)) {
			for (const entry of Object.values((field.comfySubmissions ?? {}) as Record<string, { sent_at: number }>))
				entry.sent_at -= 25 * HOUR_MS;
		}
		return copy;
	};

	it.each([
		['unconfirmed', { fault: { kind: 'drop_after' } }, [{}]],
		['answered', { skip: 1, answer: { status: 402, code: 'insufficient_credits' } }, [{}, {}]],
	] as const)('%s', async (_, fault, items) => {
		sandbox.inject({ on: RUNS, ...fault });
		const parameters = { ...X, maxWaitMinutes: 0, options: { concurrency: 1 } };
		const first = await runNode(run({ parameters, items: [...items] }));
		expect([first.status, billed()]).toEqual(['error', 1]);
		sandbox.advanceClock(25 * HOUR_MS);
		const sent = keysOf(RUNS).length;
		const second = await runNode(run({ parameters, items: [...items], contextData: aged(first.contextData) }));
		expect(second.error?.message).toBe('This run was first sent more than 24 hours ago');
		expect(second.error?.description).toMatch(/For a new run, which is billed, start a new execution/);
		expect([billed(), keysOf(RUNS).length]).toEqual([1, sent]);
	});
});

it('a queued request that the router has deleted is reported, and nothing is sent again', async () => {
	sandbox.inject({ on: STATUS, answer: { status: 403, code: 'forbidden' } });
	const parameters = { ...RANDOM, delivery: 'queued' };
	const first = await runNode(run({ parameters }));
	sandbox.advanceClock(25 * HOUR_MS);
	const second = await runNode(run({ parameters, ...nextExecution(first) }));
	expect(second.error?.message).toMatch(/^The router no longer has this request/);
	expect([billed(), keysOf(SUBMITS).length]).toEqual([1, 1]);
});

it.each([
	['returns its stored and charged result', 'lab/stored-failure', X, 'client_disconnected', { input: { prompt: 'x' } }],
	['says how it ended, if it has no result', 'lab/failing', { inputJson: '{}' }, 'provider_error', null],
])('Get of a queued request that failed %s', async (_, model, input, error_type, output) => {
	const ran = await runNode(run({ parameters: { ...input, delivery: 'queued' } }, model));
	const [item] = jsons(ran);
	if (output !== null) expect(item).toMatchObject({ output, error_type, credits_used: '10.55' });
	const parameters = { requestId: (item ?? dataOf(ran)).queue_request_id as string };
	const [got] = jsons(await runNode(routerRun(routerCredential(sandbox), 'request:get', model, { parameters })));
	expect(got).toMatchObject({ status: 'COMPLETED', error_type, output });
	expect(billed()).toBe(output === null ? 0 : 1);
});

it('the next try repeats a queued request that produced nothing, and reports any other end again', async () => {
	const items = ['provider_error', 'provider_timeout'].map((error_type) => ({ json: { error_type } }));
	const settings = { ...RETRY, ...CONTINUE.settings, maxTries: 2 };
	const result = await runNode(run({ settings, items, parameters: { inputJson: '={{ $json }}', delivery: 'queued' } }, 'lab/failing'));
	expect(jsons(result)).toMatchObject([
		{ error_facts: { code: 'provider_error', kind: 'ApiError' } },
		{ error_facts: { code: 'provider_timeout' } },
	]);
	const keys = keysOf(SUBMITS);
	expect([keys.length, new Set(keys).size, billed()]).toEqual([3, 3, 0]);
});
