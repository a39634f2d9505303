export interface RefusalFacts {
	status: number;
	code: string;
	message: string;
	details?: Record<string, unknown> | null;
	/** Seconds. */
	retryAfter?: number;
}

/** An answer in the error envelope. */
export class Refusal extends Error {
	readonly facts: RefusalFacts;

	constructor(facts: RefusalFacts) {
		super(facts.message);
		this.facts = facts;
	}
}

export const unauthorized = (): Refusal => new Refusal({ status: 401, code: 'unauthorized', message: 'Missing or invalid credentials' });

export const keyReuse = (): Refusal =>
	new Refusal({ status: 422, code: 'idempotency_key_reuse', message: 'This Idempotency-Key has been used before' });
