/** The runs of this node in one execution: how many there are, and what they may cost. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { earlierItemsOf } from '../../../shared/execution/executionFacts';
import { ItemFault } from '../../../shared/itemFault';
import { messages } from '../../../shared/messages/catalogue';

interface OpenRun {
	key: string;
	/** The cost that the router reported; until then, the upper amount of the estimate; 0 if there was none. */
	usd: number;
	/**
	 * `listed`: an item of an earlier round names the key. `sent`: it is being sent, or was sent. `over`: it does not count as a
	 * run any more, because another key replaces it, but it may be billed.
	 */
	state: 'listed' | 'sent' | 'over';
}

/** The limits for a run, and what it may cost. */
interface RunLimits {
	runLimit: number;
	/** The upper amount of its estimate, in US dollars. Default: 0, because it is unknown or not needed. */
	upperUsd?: number;
	/** What all runs of the execution may cost together, in US dollars. */
	limitUsd?: number;
	/** An earlier try, whose record n8n has lost, may have sent it. */
	mayHaveRun?: boolean;
}

const FIELD = 'comfyRouterRuns';

const NANOS = 1e9;

/** Returns a sum of dollars in billionths, so that 0.1 and 0.2 make 0.3. */
export const toNanoUsd = (usd: number): number => Math.round(usd * NANOS);

const amountOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

function runsInItem({ json }: INodeExecutionData): OpenRun[] {
	if (typeof json?.idempotency_key !== 'string') return [];
	const usd = amountOr(json.cost_usd, amountOr(json.estimated_cost_usd, 0));
	return [{ key: json.idempotency_key, usd, state: 'output' in json ? 'sent' : 'listed' }];
}

/**
 * The runs are stored where tries and *Retry execution* find them. After a crash of n8n, the stored items of earlier rounds of a
 * loop contain their keys and costs.
 */
const openRunsOf = (execution: IExecuteFunctions): OpenRun[] =>
	(execution.getContext('node')[FIELD] ??= earlierItemsOf(execution).flatMap(runsInItem)) as OpenRun[];

const findRun = (execution: IExecuteFunctions, key: string): OpenRun | undefined =>
	openRunsOf(execution).find((run) => run.key === key && run.state !== 'over');

/** Whether a run with this key was sent, so that the router returns its result and bills nothing. */
export const wasSent = (execution: IExecuteFunctions, key: string): boolean => findRun(execution, key)?.state === 'sent';

/** @throws ItemFault if the limit is reached, and the key is not among the runs. */
export function checkRunLimit(execution: IExecuteFunctions, key: string, limit: number): void {
	const isFull = openRunsOf(execution).filter(({ state }) => state !== 'over').length >= limit;
	if (isFull && findRun(execution, key) === undefined) throw new ItemFault(messages.RUN_LIMIT_REACHED(limit));
}

/**
 * Counts a run right before it is sent, once for each key, and holds its cost. Nothing is awaited here, so parallel items cannot
 * exceed a limit together.
 * @throws ItemFault if a limit is reached.
 */
export function countRun(
	execution: IExecuteFunctions,
	key: string,
	{ runLimit, upperUsd = 0, limitUsd = Infinity, mayHaveRun = false }: RunLimits,
): void {
	checkRunLimit(execution, key, runLimit);
	const runs = openRunsOf(execution).filter((run) => run.key !== key || run.state === 'over');
	const otherNanos = runs.reduce((sum, { usd }) => sum + toNanoUsd(usd), 0);
	if (otherNanos + toNanoUsd(upperUsd) > toNanoUsd(limitUsd)) {
		throw new ItemFault(messages.EXECUTION_COST_LIMIT_REACHED(upperUsd, otherNanos / NANOS, limitUsd, mayHaveRun));
	}
	runs.push({ key, usd: upperUsd, state: 'sent' });
	execution.getContext('node')[FIELD] = runs;
}

/** Replaces the held amount by the cost that the router reported. */
export function settleRun(execution: IExecuteFunctions, key: string, costUsd: number | undefined): void {
	const run = findRun(execution, key);
	if (run !== undefined && costUsd !== undefined) run.usd = costUsd;
}

/** Removes a run that was rejected before it ran. @param mayBeBilled its amount stays. */
export function uncountRun(execution: IExecuteFunctions, key: string, mayBeBilled: boolean): void {
	const runs = openRunsOf(execution);
	const run = findRun(execution, key);
	if (run === undefined) return;
	if (mayBeBilled) run.state = 'over';
	else runs.splice(runs.indexOf(run), 1);
}
