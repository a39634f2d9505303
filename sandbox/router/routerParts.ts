/** What the router is made of, and what a test changes in it. */
import type { LinkSigner } from '../storage/signedLinks';
import type { BlobStore } from '../storage/blobs';
import type { Behaviour } from '../behaviour';
import type { Ledger } from '../ledger';
import type { SandboxKeys } from '../types';
import type { AccountName } from '../vocabulary';
import type { Tokens } from './authentication';

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

/** The time by which the router keeps and forgets things; a test can move it on. */
export class Clock {
	#ahead = 0;

	/** Epoch milliseconds. */
	now(): number {
		return Date.now() + this.#ahead;
	}

	advance(ms: number): void {
		this.#ahead += ms;
	}
}
