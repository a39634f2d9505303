import type { AccountName } from '../vocabulary';

const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

interface KeyClaim {
	/** The id of what the key's first request created, if it did. */
	madeId?: string;
	at: number;
}

/** Idempotency keys of one operation. Each stays in use for a day. */
export class IdempotencyKeys {
	readonly #claims = new Map<string, KeyClaim>();

	/** Claims a key. @returns the earlier claim if the key is in use. */
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

declare module 'fastify' {
	interface FastifyRequest {
		/** Who calls. */
		account: AccountName;
	}
}
