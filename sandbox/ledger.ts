import { createHash } from 'node:crypto';
import type { AccountName, RunSurface } from './vocabulary';

export interface LedgerRun {
	jobId: string;
	surface: RunSurface;
	account: AccountName;
	idempotencyKey: string | undefined;
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
	/** Of the request that started it. */
	requestId: string;
	at: number;
}

/** One request to free the memory of the engine. */
export interface LedgerFree {
	models: boolean;
	caches: boolean;
	/** The jobs that ran or waited at that time. */
	unfinishedJobs: number;
	at: number;
}

/** What a bill is based on. */
export interface Ledger {
	/** One for each ordered execution. A prompt id that is sent to the engine twice counts twice. */
	runs: LedgerRun[];
	/** One for each computed node. A cached node is not computed. */
	executedNodes: LedgerNode[];
	cancels: LedgerCancel[];
	frees: LedgerFree[];
	/** sha256, hex, of every partner key that was received, in order. */
	partnerKeys: string[];
	/** One for each generation of the router that completed, or that was refused by policy and charged. */
	routerRuns: LedgerRouterRun[];
}

export const newLedger = (): Ledger => ({
	runs: [],
	executedNodes: [],
	cancels: [],
	frees: [],
	partnerKeys: [],
	routerRuns: [],
});

/** sha256, hex. The ledger contains no secrets and no graphs. */
export const digest = (value: string): string => createHash('sha256').update(value).digest('hex');
