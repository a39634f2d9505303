import type { IDataObject } from 'n8n-workflow';

import { exactText, parseExact } from '../../../client';
import { hashOf, type LedgerEntry } from '../../shared/submissionLedger';

export type Json = Record<string, unknown>;

/** The same again, under the same key, is the same run. */
export interface RunOrder {
	model: string;
	query: Record<string, string>;
	isQueued: boolean;
	input: Json;
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
	/** How many requests of this item have ended with nothing that could be charged. */
	endings?: number;
}

/** n8n stores it with the execution. */
const LONGEST_KEPT_INPUT = 64 * 1024;

export const orderHash = ({ model, input, query, isQueued }: RunOrder): string => hashOf([model, input, query, isQueued]);

export function record(entry: RunEntry, { input, model, query, isQueued }: RunOrder): void {
	const text = exactText(input);
	entry.sent = { model, query, isQueued, ...(text.length <= LONGEST_KEPT_INPUT && { input: text }) };
}

/** What was sent; undefined where it has changed since, and was too large to be kept. */
export function sentOrder({ sent, hash }: RunEntry, now: RunOrder | undefined): RunOrder | undefined {
	if (now !== undefined && orderHash(now) === hash) return now;
	return sent?.input === undefined ? undefined : { ...sent, input: parseExact(sent.input) as Json };
}

/** Its key would only bring the same end again: the next try gets another. */
export function markEnded(entry: RunEntry): void {
	entry.refused = true;
	entry.endings = (entry.endings ?? 0) + 1;
}
