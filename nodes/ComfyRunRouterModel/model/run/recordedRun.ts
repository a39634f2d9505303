import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { ApiError, exactText, parseExact } from '../../../../client';
import { earlierItemsOf } from '../../../shared/execution/executionFacts';
import { ItemFault } from '../../../shared/itemFault';
import type { ItemSubmission } from '../../../shared/submission/itemSubmission';
import { messages } from '../../../shared/messages/catalogue';

/** The same order under the same key is the same run. */
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
	/** What its output item reports in addition to the result. */
	facts: IDataObject;
}

/** n8n stores it with the execution. */
const MAX_STORED_INPUT = 64 * 1024;

/** The order as it is recorded: its input as JSON text, or none if that is too long. */
export function toStoredOrder({ input, ...order }: RunOrder): IDataObject {
	const text = exactText(input);
	return { ...order, ...(text.length <= MAX_STORED_INPUT && { input: text }) };
}

/** @returns what was sent; undefined if the request has changed since, and was too long to be stored. */
export function findSentOrder({ order, hash }: ItemSubmission, current: RunRequest | undefined): RunOrder | undefined {
	if (current?.hash === hash) return current.order;
	if (typeof order?.input !== 'string') return undefined;
	return { ...order, input: parseExact(order.input) } as RunOrder;
}

/** Whether the run has ended because an execution was stopped. */
export const wasStopped = ({ stoppedAt }: ItemSubmission, error: unknown): boolean =>
	stoppedAt !== undefined && error instanceof ApiError && error.code === 'cancelled';

const RUNS_FIELD = 'comfyRouterRuns';

const keysInItem = ({ json }: INodeExecutionData): string[] => (typeof json?.idempotency_key === 'string' ? [json.idempotency_key] : []);

/**
 * Returns the keys of this node's runs. They are stored where tries and *Retry execution* find them. After a crash of n8n, the
 * stored items of earlier rounds of a loop contain their keys.
 */
const openRunKeys = (execution: IExecuteFunctions): string[] =>
	(execution.getContext('node')[RUNS_FIELD] ??= earlierItemsOf(execution).flatMap(keysInItem)) as string[];

/** Counts a run before it is sent, once for each key. @throws ItemFault if the limit is reached. */
export function countRun(execution: IExecuteFunctions, key: string, limit: number): void {
	const keys = openRunKeys(execution);
	if (keys.includes(key)) return;
	if (keys.length >= limit) throw new ItemFault(messages.RUN_LIMIT_REACHED(limit));
	keys.push(key);
}

/** Removes a run that was rejected before it ran. */
export function uncountRun(execution: IExecuteFunctions, key: string): void {
	const keys = openRunKeys(execution);
	if (keys.includes(key)) keys.splice(keys.indexOf(key), 1);
}
