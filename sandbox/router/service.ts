/** Everything the routes of the router share. */
import type { LinkSigner } from '../storage/links';
import type { BlobStore } from '../store/blobs';
import type { AccountName, Behaviour, Ledger, SandboxKeys } from '../types';
import { Catalog } from './catalog/catalog';
import { Clock } from './clock';
import { Generations } from './generate/generations';
import { RequestQueue } from './queue/requestQueue';
import { Records } from './runs/records';
import type { Tokens } from './tokens';

export interface RouterParts {
	behaviour: Behaviour;
	blobs: BlobStore;
	signer: LinkSigner;
	ledger: Ledger;
	keys: SandboxKeys;
	tokens: Tokens;
	/** Signs cursors. */
	secret: string;
	/** An account that is not in it has no end of credits. */
	credits: Map<AccountName, number>;
	/** Scheme, host and port. */
	address(): string;
}

/** What a test turns while the sandbox runs. */
export interface RouterLimits {
	enabled: boolean;
	/** Calls of one account in flight at the same time. */
	concurrency: number;
	/** Queued requests of one account that have not begun. */
	backlog: number;
	/** US cents that the calls in flight of an account may commit. */
	spend: Map<AccountName, number>;
}

export interface RouterService extends RouterParts {
	catalog: Catalog;
	clock: Clock;
	limits: RouterLimits;
	generations: Generations;
	records: Records;
	queue: RequestQueue;
}

export function openRouter(parts: RouterParts): RouterService {
	const clock = new Clock();
	const limits: RouterLimits = { enabled: true, concurrency: Infinity, backlog: Infinity, spend: new Map() };
	const generations = new Generations({ ...parts, limits });
	return { ...parts, catalog: new Catalog(), clock, limits, generations, records: new Records(clock), queue: new RequestQueue(clock, generations, limits) };
}
