import type { FastifyRequest } from 'fastify';
import type { AccountName } from '../vocabulary';
import { type Traits, unreadable } from '../service/traits';

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
