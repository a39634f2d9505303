import type { IDataObject } from 'n8n-workflow';

import { ApiError, exactText, parseExact } from '../../../../client';
import type { LedgerEntry } from '../../../shared/submission/submissionLedger';

/** The same again, under the same key, is the same run. */
export interface RunOrder {
	model: string;
	query: Record<string, string>;
	isQueued: boolean;
	input: Record<string, unknown>;
}

/** What an item asks for, its seeds drawn. */
export interface AskedRun {
	order: RunOrder;
	/** @see Wish */
	hash: string;
	drawKey: string;
	/** What its item tells beside the result. */
	facts: IDataObject;
}

interface SentOrder extends IDataObject {
	model: string;
	query: Record<string, string>;
	isQueued: boolean;
	/** JSON text; absent where it is too large to be kept. */
	input?: string;
}

/** A run that was sent, as later tries find it. */
export interface RunEntry extends LedgerEntry {
	sent?: SentOrder;
	/** The queued request that was made: from then on it is only read. */
	queue_request_id?: string;
	/** An execution that this is a retry of had sent it. */
	recovered?: boolean;
}

/** n8n stores it with the execution. */
const LONGEST_KEPT_INPUT = 64 * 1024;

export function record(entry: RunEntry, { order: { input, model, query, isQueued }, drawKey, facts }: AskedRun): void {
	const text = exactText(input);
	entry.draw_key = drawKey;
	entry.facts = facts;
	entry.sent = { model, query, isQueued, ...(text.length <= LONGEST_KEPT_INPUT && { input: text }) };
}

/** What was sent; undefined where it has changed since, and was too large to be kept. */
export function sentOrder({ sent, hash }: RunEntry, now: AskedRun | undefined): RunOrder | undefined {
	if (now?.hash === hash) return now.order;
	return sent?.input === undefined ? undefined : { ...sent, input: parseExact(sent.input) as RunOrder['input'] };
}

/** Whether this is the end that a stop of an execution has brought it. */
export const isStopped = ({ stopped_at }: RunEntry, error: unknown): boolean =>
	stopped_at !== undefined && error instanceof ApiError && error.code === 'cancelled';

/** Its key would only bring the same end again: the next try gets another. */
export function markEnded(entry: RunEntry): void {
	entry.refused = true;
	entry.endings = (entry.endings ?? 0) + 1;
}
