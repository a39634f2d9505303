/** With random estimates, prices, limits and faults, no run leaves above a limit. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { mayBeUnmet } from '../../support/metFaults';
import { countTurns } from '../../support/turnClock';
import { type NodeRun, runNode } from '../support/engine';
import { CONTINUE } from '../support/files';
import { byId, jsonRun, routerCredential, RUNS } from '../support/router';
import { retryExecution } from '../support/retried';
import { freshSandbox } from '../support/sandbox';

countTurns(5);

const sandbox = freshSandbox({ routerRetryAfterSeconds: 1 });

const ESTIMATES = 'POST /v2/models/:provider/:model/estimate';
const SUBMITS = 'POST /v2/models/:provider/:model/requests';

/** In cents, so that the sums of this test are exact. */
const cents = fc.integer({ min: 0, max: 90 });
const asAmount = (amount: number, isText: boolean): unknown => (isText ? String(amount / 100) : amount / 100);

const estimate = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.tuple(cents, fc.boolean()).map(([amount, isText]) => ({ source: 'exact', amount: asAmount(amount, isText) })),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(cents, cents, fc.boolean()).map(([one, other, isText]) => ({
			source: 'estimated',
			min_amount: asAmount(Math.min(one, other), isText),
			max_amount: asAmount(Math.max(one, other), isText),
		})),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom<unknown>(
			{ source: 'unknown', reason: 'No price is listed' },
			{ source: 'exact', amount: -1 },
			{ source: 'exact', amount: 'NaN' },
			{ source: 'estimated', min_amount: 0 },
			{ amount: 0 },
			[],
			null,
		),
	},
);

/** `share`: the part of the upper amount that the run costs, in percent. */
const item = fc.record({
	estimate,
	share: fc.integer({ min: 0, max: 60 }),
	model: fc.constantFrom('lab/priced', 'lab/priced-2'),
	cap: fc.option(cents, { nil: undefined, freq: 2 }),
});

const fault = fc.record({
	on: fc.constantFrom(ESTIMATES, ESTIMATES, RUNS, SUBMITS),
	skip: fc.integer({ min: 0, max: 4 }),
	rule: fc.constantFrom(
		{ fault: { kind: 'drop_before' as const } },
		{ fault: { kind: 'drop_after' as const } },
		{ answer: { status: 503, code: 'service_unavailable', retryAfter: 1 } },
		{ answer: { status: 403, code: 'not_enabled' } },
		{ answer: { status: 402, code: 'insufficient_credits' } },
		{ answer: { status: 400, code: 'content_policy_violation' } },
	),
});

const world = fc.record({
	items: fc.array(item, { minLength: 3, maxLength: 9 }),
	budget: fc.integer({ min: 40, max: 160 }),
	concurrency: fc.constantFrom(1, 1, 2, 8),
	costsUpper: fc.boolean(),
	delivery: fc.constantFrom('synchronous', 'queued'),
	faults: fc.array(fault, { maxLength: 3 }),
});

interface SentInput {
	estimate: { source?: string; amount?: number | string; max_amount?: number | string } | null;
	cents: number;
	n: number;
}

/** In cents; Infinity if the estimate has no upper amount, so that such a run exceeds every limit. */
function upperOf({ estimate: answer }: Pick<SentInput, 'estimate'>): number {
	const upper = answer?.source === 'exact' ? answer.amount : answer?.source === 'estimated' ? answer.max_amount : undefined;
	const amount = Math.round(Number(upper) * 100);
	return amount >= 0 ? amount : Infinity;
}

/** What left, by its key. */
function sentInputs(on: string): Map<string, SentInput> {
	const sent = sandbox.requests(on).map(({ headers, bodyText }) => [String(headers['idempotency-key']), bodyText] as const);
	return new Map(sent.map(([key, text]) => [key, JSON.parse(String(text)) as SentInput]));
}

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);

it('no run leaves above the limit of its item, and all runs together stay within the limit of the execution', async () => {
	const seen = { sent: 0, kept: 0, givenBack: 0 };
	await fc.assert(
		fc.asyncProperty(world, async ({ items, budget, concurrency, costsUpper, delivery, faults }) => {
			sandbox.resetRecords();
			sandbox.clearFaults();
			for (const { rule, ...where } of faults) mayBeUnmet(sandbox.inject({ ...where, ...rule }));
			const on = delivery === 'queued' ? SUBMITS : RUNS;
			const caps = items.map(({ cap }) => cap ?? 200);
			const rows = items.map(({ model, estimate: answer, share }, n): IDataObject => {
				const upper = upperOf({ estimate: answer as SentInput['estimate'] });
				const price = Number.isFinite(upper) ? Math.floor((upper * (costsUpper ? 100 : share)) / 100) : 500;
				return { model, cap: (caps[n] ?? 0) / 100, input: { estimate: answer, cents: price, n } as IDataObject };
			});
			const options = { maxCostUsd: '={{ $json.cap }}', maxExecutionCostUsd: budget / 100, concurrency };
			const parameters = { model: byId('={{ $json.model }}'), inputJson: '={{ $json.input }}', delivery, options };
			const more = { ...CONTINUE, items: rows.map((json) => ({ json })), parameters };
			const run: NodeRun = jsonRun(routerCredential(sandbox), 'x/y', {}, more);
			const check = (): void => {
				const sent = sentInputs(on);
				for (const input of sent.values()) expect(upperOf(input)).toBeLessThanOrEqual(caps[input.n] ?? 0);
				const billed = sandbox.ledger.routerRuns.flatMap(({ idempotencyKey }) => sent.get(String(idempotencyKey)) ?? []);
				expect(sum(billed.map(({ cents: price }) => price))).toBeLessThanOrEqual(budget);
				if (costsUpper) expect(sum(billed.map(upperOf))).toBeLessThanOrEqual(budget);
				if (sum(billed.map(upperOf)) > budget) seen.givenBack += 1;
				seen.sent += sent.size;
				seen.kept += items.length - sent.size;
			};
			const first = await runNode(run);
			check();
			await runNode(retryExecution(run, first));
			check();
		}),
		{ seed: 20_261_127, numRuns: 40 },
	);
	// Otherwise the property would say nothing.
	for (const [what, times] of Object.entries(seen)) expect([what, times > 5]).toEqual([what, true]);
});
