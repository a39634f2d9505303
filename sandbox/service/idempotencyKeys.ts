/** Idempotency keys: read from requests, and each usable once a day. */
import type { FastifyRequest } from 'fastify';
import type { AccountName } from '../vocabulary';
import { type Traits, unreadable } from './traits';

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

const KEY_LENGTH_LIMIT = 255;

/** The request's Idempotency-Key. @throws Refusal when it is not 1 to 255 characters. */
export function readKey(request: FastifyRequest, traits: Traits): string | undefined {
	const key = request.headers['idempotency-key'];
	if (key === undefined) return undefined;
	if (typeof key !== 'string' || key.length < 1 || key.length > KEY_LENGTH_LIMIT) {
		throw unreadable(traits, `Idempotency-Key must have 1 to ${KEY_LENGTH_LIMIT} characters`);
	}
	return key;
}
