import type { IDataObject } from 'n8n-workflow';

import { ApiError, outcomeOf, type RouterEstimate, StoppedError } from '../../../../client';
import type { RouterItem } from '../../../shared/connect/routerConnections';
import { logDecision } from '../../../shared/debugLog';
import { wordsFor } from '../../../shared/explain/wordsFor';
import { addHint, warnOnce } from '../../../shared/hints';
import { ItemFault } from '../../../shared/itemFault';
import { messages } from '../../../shared/messages/catalogue';
import { estimatedLine } from '../../../shared/messages/logLines';
import { costReason } from '../../../shared/messages/topics/router';
import { isShuttingDown } from '../../../shared/operation';
import type { SubmissionRecord } from '../../../shared/submission/ledger';
import { checkRunLimit, countRun, toNanoUsd, wasSent } from './openRuns';
import type { RunOrder } from './recordedRun';
import type { ModelRunSettings } from './settings';

/** What a run costs at most, in US dollars, or why that is unknown. */
type CostBound = { upperUsd: number } | { unknown: string };

/** Returns why the cost is unknown; null if it is known. */
export function unknownReason({ source, reason, fault }: RouterEstimate): string | null {
	if (source !== 'unknown') return null;
	return fault === undefined ? costReason.notPriced(reason) : costReason[fault];
}

function toBound(estimate: RouterEstimate): CostBound {
	const upperUsd = estimate.amount_usd ?? estimate.max_amount_usd;
	return upperUsd === null ? { unknown: unknownReason(estimate) ?? costReason.amount } : { upperUsd };
}

/** The run would get the same rejection, so the item fails with it. */
const REJECTIONS: ReadonlySet<string> = new Set([
	'invalid_input',
	'model_not_found',
	'unauthorized',
	'token_expired',
	'insufficient_credits',
]);

const isRejection = (error: unknown): boolean => error instanceof ApiError && REJECTIONS.has(error.code);

/** Asks for the cost of a run. A failure counts as an unknown cost, unless it concerns the run itself. */
async function askCost(item: RouterItem, { model, input, query }: RunOrder): Promise<CostBound> {
	const { connection, shutdownSignal: signal, credential } = item;
	const asked = await outcomeOf(connection.router.estimate(model, input, { modelProvider: query.model_provider, signal }));
	if (asked.ok) return toBound(asked.value);
	const { error } = asked;
	if (error instanceof StoppedError && isShuttingDown(item)) throw new ItemFault(messages.SHUTDOWN_BEFORE_SENDING());
	if (error instanceof StoppedError || isRejection(error)) throw error;
	return { unknown: wordsFor(error, credential).message };
}

/**
 * Counts a run, if it stays within the limits. A run that was sent before with its key is neither estimated nor rejected: it may
 * be paid, and the router returns its result.
 * @returns what the item reports about the cost.
 * @throws ItemFault if a limit is reached, or the cost is unknown and must not be.
 */
export async function admitRun(
	item: RouterItem,
	{ runLimit, maxCostUsd, maxExecutionCostUsd: limitUsd, ifCostUnknown }: ModelRunSettings,
	{ current: { key: recordedKey, mayExistSince } }: SubmissionRecord,
	order: RunOrder,
): Promise<IDataObject> {
	const { execution } = item;
	const key = recordedKey ?? '';
	const mayHaveRun = mayExistSince !== undefined;
	if (wasSent(execution, key)) return {};
	checkRunLimit(execution, key, runLimit);
	if (maxCostUsd === undefined && limitUsd === undefined) {
		countRun(execution, key, { runLimit });
		return {};
	}
	const cost = await askCost(item, order);
	logDecision(() => estimatedLine('upperUsd' in cost ? cost.upperUsd : undefined));
	if ('unknown' in cost) {
		if (ifCostUnknown === 'stop') throw new ItemFault(messages.COST_UNKNOWN(cost.unknown, mayHaveRun));
		countRun(execution, key, { runLimit });
		warnOnce(execution, messages.COST_NOT_CHECKED(order.model, cost.unknown));
		return { cost_unknown_reason: cost.unknown };
	}
	const { upperUsd } = cost;
	if (maxCostUsd !== undefined && toNanoUsd(upperUsd) > toNanoUsd(maxCostUsd)) {
		throw new ItemFault(messages.COST_ABOVE_LIMIT(upperUsd, maxCostUsd, mayHaveRun));
	}
	countRun(execution, key, { runLimit, upperUsd, limitUsd, mayHaveRun });
	return { estimated_cost_usd: upperUsd };
}

/** Adds a hint if a run cost more than its limit, because the estimate was too low or unknown. */
export function hintAtHigherCost(
	{ execution, itemIndex }: RouterItem,
	{ maxCostUsd }: ModelRunSettings,
	costUsd: number | undefined,
): void {
	if (maxCostUsd === undefined || costUsd === undefined || toNanoUsd(costUsd) <= toNanoUsd(maxCostUsd)) return;
	addHint(execution, messages.COST_ABOVE_ESTIMATE(itemIndex, costUsd, maxCostUsd), 'warning');
}
