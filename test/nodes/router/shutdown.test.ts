/** n8n is asked to stop while a queued request is under way. */
import { until } from '../../support/until';
import { type NodeResult, runNode } from '../support/engine';
import { dataOf, jsonRun, routerCredential } from '../support/router';
import { freshSandbox } from '../support/sandbox';
import { startStoppable, type Stoppable } from '../support/stoppable';
import { jsons } from '../support/submit';

const SUBMITS = 'POST /v2/models/:provider/:model/requests';
const ESTIMATES = 'POST /v2/models/:provider/:model/estimate';
const STATUS = 'GET /v2/models/:provider/:model/requests/:id/status';
const CANCEL = 'PUT /v2/models/:provider/:model/requests/:id/cancel';
jest.setTimeout(180_000);
/** Longer than a process takes to leave, also on a busy machine. */
const RUNS_FOR_MS = 10_000;

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });
let n8n: Stoppable;
beforeEach(async () => void (n8n = await startStoppable()));
afterEach(async () => await n8n.end());

it('the node stops, cancels nothing and sends nothing more, and a retry of the execution collects the request, billed once', async () => {
	const more = { parameters: { delivery: 'queued' } };
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const run = jsonRun(routerCredential(sandbox), 'lab/slow', { ms: RUNS_FOR_MS }, { ...more, settings });
	const later = jsonRun(routerCredential(sandbox), 'lab/open', { prompt: 'later' }, more);
	const report = n8n.run({ isHandled: true, runs: [run], later: [later] });
	await Promise.race([until(() => sandbox.requests(STATUS).length > 0, 60_000), report]);
	n8n.signal('SIGTERM');
	const { results, later: after } = await report;
	const [left, unsent] = [results[0] as NodeResult, after[0] as NodeResult];

	const { queue_request_id: id, idempotency_key: key } = dataOf(left);
	expect(left.error?.message).toBe(`n8n is shutting down, and the node no longer waits for the queued request ${String(id)}`);
	expect(left.error?.description).toMatch(/was not canceled.*retry this execution.*within 24 hours.*nothing is run twice/);
	expect(left.error?.description).toContain(String(key));
	expect(unsent.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect([sandbox.requests(SUBMITS).length, sandbox.ledger.routerRuns.length]).toEqual([1, 0]);

	const { contextData, executionContext } = left;
	const again = await runNode({ ...run, mode: 'retry', contextData, executionContext });
	expect(again.error).toBeUndefined();
	expect(jsons(again)).toMatchObject([{ queue_request_id: id, idempotency_key: key, output: { waited_ms: RUNS_FOR_MS } }]);
	expect([sandbox.requests(SUBMITS).length, sandbox.ledger.routerRuns.length, sandbox.requests(CANCEL).length]).toEqual([1, 1, 0]);
});

it.each(['synchronous', 'queued'])('an item that waits for its estimate is not sent, and a retry runs it once (%s)', async (delivery) => {
	const estimates = sandbox.inject({ on: ESTIMATES, times: Infinity, fault: { kind: 'stall' } });
	const parameters = { delivery, options: { maxCostUsd: 1 } };
	const run = jsonRun(routerCredential(sandbox), 'lab/open', { prompt: 'x' }, { parameters });
	const report = n8n.run({ isHandled: true, runs: [run] });
	await Promise.race([until(() => sandbox.requests(ESTIMATES).length > 0, 60_000), report]);
	n8n.signal('SIGTERM');
	const left = (await report).results[0] as NodeResult;
	expect(left.error?.message).toBe('n8n is shutting down: nothing was sent for this item');
	expect(sandbox.ledger.routerRuns).toEqual([]);

	estimates.remove();
	const { contextData, executionContext } = left;
	const again = await runNode({ ...run, mode: 'retry', contextData, executionContext });
	expect(jsons(again)).toMatchObject([{ estimated_cost_usd: 0.05, output: { input: { prompt: 'x' } } }]);
	expect(sandbox.ledger.routerRuns).toHaveLength(1);
});
