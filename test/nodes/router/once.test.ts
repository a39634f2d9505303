import { runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { dataOf, jsonRun, routerCredential, RUNS } from '../support/router';
import { laterRun, storedContext } from '../support/retried';
import { jsons } from '../support/submit';
import { freshSandbox } from '../support/sandbox';

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });

/** No attempt of the client's own after the first. */
const ONE_ATTEMPT = { maxWaitMinutes: 0 };
const credential = () => routerCredential(sandbox);
const keys = () => sandbox.requests(RUNS).map(({ headers }) => headers['idempotency-key']);
const run = (input: unknown, more = {}) => jsonRun(credential(), 'lab/free', input, more);

it('a retry of the execution collects the result under the recorded key', async () => {
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	const first = await runNode(run({ prompt: 'x' }, { parameters: ONE_ATTEMPT }));
	expect(first.error?.message).toMatch(/^The result did not come/);
	expect(first.error?.description).toContain(`Idempotency key: ${keys()[0]}`);
	expect(first.error?.description).toMatch(/may be billed[\s\S]*Retry this execution within 24 hours/);
	expect(dataOf(first)).toMatchObject({ kind: 'UnknownOutcomeError', idempotency_key: keys()[0], model: 'lab/free' });
	const second = await runNode(run({ prompt: 'x' }, { contextData: storedContext(first), executionId: 'another' }));
	expect(jsons(second)).toMatchObject([{ replayed: true }]);
	expect(sandbox.ledger.routerRuns).toHaveLength(1);
});

it('a corrected input runs under the same key after a rejection', async () => {
	const first = await runNode(run({}));
	expect(first.status).toBe('error');
	const { executionContext } = first;
	const second = await runNode(run({ prompt: 'x' }, { contextData: storedContext(first), mode: 'retry', executionContext }));
	expect(second.status).toBe('success');
	expect(jsons(second)[0]).not.toHaveProperty('recovered');
	expect(sandbox.ledger.routerRuns).toHaveLength(1);
	expect([keys().length, new Set(keys()).size]).toEqual([2, 1]);
});

it.each([
	['a custom key: a corrected input is sent next', 'custom', { prompt: 'y' }],
	['an automatic key: what was sent is sent again', 'automatic', { prompt: 'x' }],
] as const)('after a 409 to the first attempt with %s', async (_name, idempotencyKeyMode, sent) => {
	const parameters = { options: { idempotencyKeyMode, idempotencyKey: 'order-2' } };
	sandbox.inject({ on: RUNS, answer: { status: 409, code: 'invalid_input' } });
	const first = await runNode(run({ prompt: 'x' }, { parameters }));
	expect(first.status).toBe('error');
	const contextData = storedContext(first);
	const second = await runNode(run({ prompt: 'y' }, { parameters, contextData, mode: 'retry', executionContext: first.executionContext }));
	expect(jsons(second)).toMatchObject([{ output: { input: sent } }]);
	expect(sandbox.ledger.routerRuns).toHaveLength(1);
});

it('a Custom key that is the same for two items is rejected before anything is sent', async () => {
	const parameters = { options: { idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' } };
	const { error } = await runNode(run({ prompt: 'x' }, { ...CONTINUE, items: [{}, {}], parameters }));
	expect(error?.message).toMatch(/same Custom Idempotency Key/);
	expect(sandbox.requests()).toEqual([]);
});

it('as an AI tool, a later run asks again for an unresolved one under its recorded key', async () => {
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	const first = await runNode(run({ prompt: 'x' }, { asTool: true, parameters: ONE_ATTEMPT }));
	expect(jsons(first)).toMatchObject([{ error: expect.any(String) }]);
	const second = await runNode(run({ prompt: 'x' }, { asTool: true, contextData: laterRun(first), executionId: 'another' }));
	expect(jsons(second)).toMatchObject([{ replayed: true }]);
	expect(sandbox.ledger.routerRuns).toHaveLength(1);
});
