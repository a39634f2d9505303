import type { IDataObject } from 'n8n-workflow';

import { ApiError, exactText, parseExact } from '../../../../client';
import type { ItemSubmission } from '../../../shared/submission/itemSubmission';

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
