import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, exactText, parseExact } from '../../../../client';
import { itemsBefore } from '../../../shared/execution/runs';
import { ItemFault } from '../../../shared/itemFault';
import type { LedgerEntry } from '../../../shared/submission/submissionLedger';

/** A request to run a model. The same order with the same key is the same run. */
export interface RunOrder {
	model: string;
	query: Record<string, string>;
	isQueued: boolean;
	input: Record<string, unknown>;
}

/** What an item requests, with its seeds. */
export interface RunRequest {
	order: RunOrder;
	/** @see UnseededRequest */
	hash: string;
	seedKey: string;
	/** The facts for the item, next to the result. */
	facts: IDataObject;
}

interface SentOrder extends IDataObject {
	model: string;
	query: Record<string, string>;
	isQueued: boolean;
	/** JSON text. Absent if it is too large to be stored. */
	input?: string;
}

/** A run that was sent, as the ledger stores it for later tries. */
export interface RunEntry extends LedgerEntry {
	sent?: SentOrder;
	/** The id of the queued request. If there is one, the request is only read. */
	queue_request_id?: string;
	/** Whether the execution that this one retries has sent the run. */
	recovered?: boolean;
}

/** n8n stores the input with the execution. */
const LONGEST_STORED_INPUT = 64 * 1024;

export function recordRun(entry: RunEntry, { order: { input, model, query, isQueued }, seedKey, facts }: RunRequest): void {
	const text = exactText(input);
	entry.draw_key = seedKey;
	entry.facts = facts;
	entry.sent = { model, query, isQueued, ...(text.length <= LONGEST_STORED_INPUT && { input: text }) };
}

/** Returns the order that was sent, or undefined if it differs from the current one and was too large to be stored. */
export function findSentOrder({ sent, hash }: RunEntry, current: RunRequest | undefined): RunOrder | undefined {
	if (current?.hash === hash) return current.order;
	return sent?.input === undefined ? undefined : { ...sent, input: parseExact(sent.input) as RunOrder['input'] };
}

/** Whether the run was canceled by the stop of an execution. */
export const isStopped = ({ stopped_at }: RunEntry, error: unknown): boolean =>
	stopped_at !== undefined && error instanceof ApiError && error.code === 'cancelled';

/** Marks a run that has ended without a result. The next try uses another key, because this one would only return the same end. */
export function markEnded(entry: RunEntry): void {
	entry.refused = true;
	entry.endings = (entry.endings ?? 0) + 1;
}

const RUNS_FIELD = 'comfyRouterRuns';

const keyIn = ({ json }: INodeExecutionData): string[] => (typeof json?.idempotency_key === 'string' ? [json.idempotency_key] : []);

/**
 * Returns the keys of this node's runs. They are stored where tries and *Retry execution* find them. After a crash of n8n, the
 * stored items of earlier rounds of a loop contain their keys.
 */
const keysOf = (execution: IExecuteFunctions): string[] =>
	(execution.getContext('node')[RUNS_FIELD] ??= itemsBefore(execution).flatMap(keyIn)) as string[];

/** Counts a run before it is sent, once for each key. @throws ItemFault if the limit is reached. */
export function countRun(execution: IExecuteFunctions, key: string, limit: number): void {
	const keys = keysOf(execution);
	if (keys.includes(key)) return;
	if (keys.length >= limit) {
		throw new ItemFault(
			`Limit Runs Per Execution is reached: ${limit}`,
			'This item was not sent. Raise the limit under Options, or give the node fewer items.',
		);
	}
	keys.push(key);
}

/** Removes a run that was rejected before it ran. */
export function uncountRun(execution: IExecuteFunctions, key: string): void {
	const keys = keysOf(execution);
	if (keys.includes(key)) keys.splice(keys.indexOf(key), 1);
}
