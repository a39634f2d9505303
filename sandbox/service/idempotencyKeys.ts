import type { AccountName } from '../vocabulary';

const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

export interface KeyClaim {
	/** The id that the key's first request made, once it has made one. */
	madeId?: string;
	at: number;
}

/** Single-use keys of one operation, each remembered for a day. */
export class IdempotencyKeys {
	readonly #claims = new Map<string, KeyClaim>();

	/** The earlier claim when the key is taken; else claims it. */
	claim(account: AccountName, key: string): { taken: KeyClaim } | { claimed: KeyClaim; release(): void } {
		const name = `${account} ${key}`;
		const earlier = this.#claims.get(name);
		if (earlier !== undefined && Date.now() - earlier.at < KEY_LIFETIME_MS) return { taken: earlier };
		const claimed: KeyClaim = { at: Date.now() };
		this.#claims.set(name, claimed);
		return { claimed, release: () => this.#claims.delete(name) };
	}

	clear(): void {
		this.#claims.clear();
	}
}
