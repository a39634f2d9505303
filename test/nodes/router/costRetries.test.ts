/** The limits of the cost in later tries, after a crash of n8n, and while the router fails. */
import type { IDataObject } from 'n8n-workflow';

import { mayBeUnmet } from '../../support/metFaults';
import { countTurns } from '../../support/turnClock';
import { NODE_NAME, type NodeResult, type NodeRun, runNode, startNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { dataOf, jsonRun, routerCredential, RUNS } from '../support/router';
import { afterCrash, RETRY, retryExecution } from '../support/retried';
import { jsons } from '../support/submit';
import { freshSandbox } from '../support/sandbox';
import { until } from '../../support/until';

countTurns(5);

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });

const ESTIMATES = 'POST /v2/models/:provider/:model/estimate';
const STATUS = 'GET /v2/models/:provider/:model/requests/:id/status';
const exact = (amount: number) => ({ source: 'exact', amount });
const billed = () => sandbox.ledger.routerRuns.length;
const counts = () => [sandbox.requests(ESTIMATES).length, sandbox.requests(RUNS).length, billed()];

const priced = (inputs: IDataObject[], options: IDataObject, more: Partial<NodeRun> = {}): NodeRun =>
	jsonRun(
		routerCredential(sandbox),
		'lab/priced',
		{},
		{
			...more,
			items: inputs.map((input) => ({ json: { input } })),
			parameters: { inputJson: '={{ $json.input }}', options, ...more.parameters },
		},
	);
const same = (count: number, amount: number) =>
	Array.from({ length: count }, (_, n) => ({ estimate: exact(amount), cents: amount * 100, n }));
/** The estimates of the router from now on. */
const reprice = (amount: number) => sandbox.inject({ on: ESTIMATES, times: Infinity, answer: { status: 200, json: exact(amount) } });

it.each(['stop', 'continue'])('a failure of the router counts as an unknown cost after its retries (%s)', async (ifCostUnknown) => {
	sandbox.inject({ on: ESTIMATES, times: Infinity, answer: { status: 500, code: 'internal_error', message: 'Out of order' } });
	const result = await runNode(priced(same(2, 1), { maxCostUsd: 1, ifCostUnknown }, CONTINUE));
	const [estimates = 0, runs] = counts();
	expect(estimates).toBeGreaterThan(2);
	expect(runs).toBe(ifCostUnknown === 'stop' ? 0 : 2);
	const reason = expect.stringMatching(/could not run this request: Out of order$/) as string;
	const expected = ifCostUnknown === 'stop' ? { error: reason, error_code: 'COST_UNKNOWN' } : { cost_unknown_reason: reason };
	expect(jsons(result)).toMatchObject([expected, expected]);
});

it('an estimate is asked again after a fault, and the run is sent once', async () => {
	sandbox.inject({ on: ESTIMATES, fault: { kind: 'drop_after' } });
	sandbox.inject({ on: ESTIMATES, answer: { status: 503, code: 'service_unavailable' } });
	const result = await runNode(priced(same(1, 1), { maxCostUsd: 1 }));
	expect(jsons(result)).toMatchObject([{ estimated_cost_usd: 1, cost_usd: 1 }]);
	expect(counts()).toEqual([3, 1, 1]);
});

it('a run whose answer was lost is collected without another estimate, also above the limit', async () => {
	sandbox.inject({ on: RUNS, fault: { kind: 'drop_after' } });
	mayBeUnmet(sandbox.inject({ on: ESTIMATES, skip: 2, times: Infinity, answer: { status: 200, json: exact(5) } }));
	const run = priced(same(2, 1), { maxCostUsd: 1, maxExecutionCostUsd: 2 }, { settings: RETRY, parameters: { maxWaitMinutes: 0 } });
	const result = await runNode(run);
	expect(jsons(result)).toMatchObject([{ estimated_cost_usd: 1 }, { estimated_cost_usd: 1 }]);
	expect([sandbox.requests(ESTIMATES).length, billed()]).toEqual([2, 2]);
});

it('Retry execution collects what was sent at any price, and sends the rest within what is left', async () => {
	sandbox.inject({ on: RUNS, skip: 1, answer: { status: 402, code: 'insufficient_credits' } });
	const options = { maxExecutionCostUsd: 2, maxCostUsd: 1, concurrency: 1 };
	const first = await runNode(priced(same(3, 1), options, { settings: {} }));
	expect(first.error?.message).toMatch(/does not have enough credits/);
	const afterFirst = counts();
	const second = await runNode(retryExecution(priced(same(3, 1), options, CONTINUE), first));
	expect(jsons(second)).toMatchObject([{ replayed: true }, { estimated_cost_usd: 1 }, { error_code: 'EXECUTION_COST_LIMIT_REACHED' }]);
	expect([afterFirst[2], billed()]).toEqual([1, 2]);
	reprice(5);
	const third = await runNode(retryExecution(priced(same(3, 1), options, CONTINUE), second));
	expect(jsons(third)).toMatchObject([{ replayed: true }, { replayed: true }, { error_code: 'COST_ABOVE_LIMIT' }]);
	expect(billed()).toBe(2);
});

describe('after a crash of n8n', () => {
	it('a run within the limit is collected, and billed once', async () => {
		const one = priced(same(2, 1), { maxCostUsd: 1, maxExecutionCostUsd: 2 });
		const first = await runNode(one);
		const second = await runNode(afterCrash(one, first));
		expect(jsons(second)).toMatchObject([0, 1].map((n) => ({ recovered: true, replayed: true, output: { input: { n } } })));
		expect(jsons(second)[0]).not.toHaveProperty('cost_usd');
		expect(billed()).toBe(2);
	});

	it('a run above the limit says that it may be billed, and a higher limit collects it', async () => {
		const one = priced(same(1, 1), { maxCostUsd: 1 });
		const first = await runNode(one);
		reprice(2);
		const second = await runNode(afterCrash(one, first));
		expect(second.error?.message).toBe('This run may cost up to $2.00, and Max Cost (USD) is $1.00');
		expect(second.error?.description).toMatch(
			/that run is billed.*change the cost options so that the item is sent, and retry this execution within 24 hours/,
		);
		expect(dataOf(second)).toMatchObject({ idempotency_key: jsons(first)[0]?.idempotency_key });
		const third = await runNode(afterCrash(priced(same(1, 1), { maxCostUsd: 2 }), first));
		expect(jsons(third)).toMatchObject([{ recovered: true, replayed: true }]);
		expect(billed()).toBe(1);
	});

	/** n8n has kept the earlier round of a loop, and the rows of the node. */
	const earlierRound = (first: NodeResult): Partial<NodeRun> => {
		const { comfyRows } = first.contextData[`node:${NODE_NAME}`] ?? {};
		return {
			runData: { [NODE_NAME]: first.runData[NODE_NAME] ?? [] },
			contextData: { [`node:${NODE_NAME}`]: { comfyRows } } as NodeRun['contextData'],
		};
	};

	it.each([
		['reported costs', true, [undefined, 'EXECUTION_COST_LIMIT_REACHED']],
		['upper amounts, if no cost was reported', false, ['EXECUTION_COST_LIMIT_REACHED', 'EXECUTION_COST_LIMIT_REACHED']],
	])('the stored items of earlier rounds count with their %s', async (_name, isReported, codes) => {
		const inputs = [1, 2].map((n) => ({ estimate: exact(1), cents: 80, n }));
		const one = priced(inputs, { maxExecutionCostUsd: 2.6, concurrency: 1 }, CONTINUE);
		const first = await runNode(one);
		expect(jsons(first)).toMatchObject([{ cost_usd: 0.8 }, { cost_usd: 0.8 }]);
		const kept = earlierRound(first);
		const stored = (kept.runData?.[NODE_NAME]?.[0]?.data?.main?.[0] ?? []).map(({ json }) => json);
		expect(stored).toHaveLength(2);
		if (!isReported) for (const json of stored) delete json.cost_usd;
		const second = await runNode({ ...afterCrash(one, first), ...kept });
		expect(jsons(second).map(({ error_code: code }) => code)).toEqual(codes);
	});

	it('a custom key of an item that was not sent is estimated again', async () => {
		const options = { maxCostUsd: 1, idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' };
		const one = priced(same(1, 2), options, CONTINUE);
		const first = await runNode(one);
		expect(jsons(first)).toMatchObject([{ error_code: 'COST_ABOVE_LIMIT', idempotency_key: 'order-1' }]);
		const second = await runNode({ ...afterCrash(one, first), ...earlierRound(first) });
		expect(jsons(second)).toMatchObject([{ error_code: 'COST_ABOVE_LIMIT' }]);
		expect(counts()).toEqual([2, 0, 0]);
	});

	it('a first try says nothing of earlier ones', async () => {
		const { error } = await runNode(priced(same(1, 2), { maxCostUsd: 1 }));
		expect(error?.description).not.toMatch(/earlier try/);
	});
});

it('a stop during the estimate sends nothing, and a later try of the execution runs the item', async () => {
	sandbox.inject({ on: ESTIMATES, fault: { kind: 'stall' } });
	const one = priced(same(1, 1), { maxCostUsd: 1, maxExecutionCostUsd: 1, limitRuns: 1 });
	const { result, stop } = startNode(one);
	await until(() => sandbox.requests(ESTIMATES).length > 0);
	stop();
	const stopped = await result;
	expect(stopped.error?.message).toBe('The execution was stopped before this node was finished');
	expect(counts()).toEqual([1, 0, 0]);
	const again = await runNode(retryExecution(one, stopped));
	expect(jsons(again)).toMatchObject([{ cost_usd: 1 }]);
	expect(billed()).toBe(1);
});

it('a custom key that was sent in the execution is not estimated again', async () => {
	const options = { maxExecutionCostUsd: 1, idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' };
	const one = priced(same(1, 1), options);
	const first = await runNode(one);
	const again = await runNode({
		...one,
		contextData: JSON.parse(JSON.stringify(first.contextData).replaceAll('"0:0', '"7:0')) as NodeRun['contextData'],
	});
	expect(jsons(again)).toMatchObject([{ replayed: true, idempotency_key: 'order-1' }]);
	expect(counts()).toEqual([1, 2, 1]);
});

it('a run that a stop has canceled keeps its amount, because it may be billed', async () => {
	const more = { parameters: { delivery: 'queued', options: { maxExecutionCostUsd: 0.08 } } };
	const one = jsonRun(routerCredential(sandbox), 'lab/slow', { ms: 60_000 }, more);
	const { result, stop } = startNode(one);
	await until(() => sandbox.requests(STATUS).length > 0);
	stop();
	const stopped = await result;
	const again = await runNode(retryExecution(one, stopped));
	expect(again.error?.message).toBe(
		'This run may cost up to $0.05, which exceeds Max Cost Per Execution (USD): $0.08, of which other runs use $0.05',
	);
	const shorter = { parameters: { delivery: 'queued', inputJson: '{"ms": 1}', options: { maxExecutionCostUsd: 0.1, limitRuns: 1 } } };
	const third = await runNode(retryExecution({ ...one, parameters: { ...one.parameters, ...shorter.parameters } }, again));
	expect(jsons(third)).toMatchObject([{ output: { waited_ms: 1 } }]);
	expect(billed()).toBe(1);
});
