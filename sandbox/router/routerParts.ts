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
	/** Scheme, host and port. */
	address(): string;
}

/** What tests change while the sandbox runs. */
export interface RouterLimits {
	enabled: boolean;
	/** Queued requests that run at the same time. */
	concurrency: number;
	/** US cents that an account's calls in flight may commit. */
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
