import { createHash } from 'node:crypto';
import type { AccountName, RunSurface } from './vocabulary';

export interface LedgerRun {
	jobId: string;
	surface: RunSurface;
	account: AccountName;
	idempotencyKey: string | undefined;
	/** sha256, hex, of the submitted graph's JSON. */
	graphHash: string;
	/** The name of the `extra_data` field that carried a partner key, if one did. */
	partnerKeyField: string | undefined;
	at: number;
}

export interface LedgerNode {
	jobId: string;
	nodeId: string;
	classType: string;
	at: number;
}

export interface LedgerCancel {
	jobId: string;
	surface: RunSurface;
	at: number;
}

export interface LedgerRouterRun {
	/** `<provider>/<model>`. */
	model: string;
	account: AccountName;
	idempotencyKey: string | undefined;
	/** A decimal text. */
	credits: string;
	/** Of the request that began it. */
	requestId: string;
	at: number;
}

/** What the router notes of a call that runs a model. */
export interface LedgerRouterCall {
	/** The same as in the answer's header. */
	requestId: string;
	model: string;
	account: AccountName;
	/** 499 when the caller left before the answer. */
	status: number;
	/** The error bucket; null for a success. */
	bucket: string | null;
	at: number;
}

/** What a bill would be written from. */
export interface Ledger {
	/** One per execution that was ordered; a prompt id sent to the engine twice is two. */
	runs: LedgerRun[];
	/** One per node that was computed; a cached node was not. */
	executedNodes: LedgerNode[];
	cancels: LedgerCancel[];
	/** sha256, hex, of every partner key that came, in order. */
	partnerKeys: string[];
	/** One per generation of the router that completed, or was refused by policy and charged. */
	routerRuns: LedgerRouterRun[];
	/** One per call that runs a model, when it is over. */
	routerCalls: LedgerRouterCall[];
}

export const newLedger = (): Ledger => ({ runs: [], executedNodes: [], cancels: [], partnerKeys: [], routerRuns: [], routerCalls: [] });

/** sha256, hex: the ledger keeps no secret and no graph itself. */
export const digest = (value: string): string => createHash('sha256').update(value).digest('hex');
