/** How the surfaces differ, and how they refuse. Self-hosted surfaces follow the API proxy. */
import type { AccountName, ServiceSurface } from '../vocabulary';

export interface Traits {
	selfHosted: boolean;
	/** Bearer token → account; undefined if no token is required. */
	tokens: ReadonlyMap<string, AccountName> | undefined;
	list: 'newest' | 'pages' | 'not_implemented';
	/** What a submission's `metadata` may be. */
	metadata: 'string' | 'labels' | 'refused';
	/** `extra_data` is a closed object. */
	extraDataFields: readonly string[];
	/** How a malformed field is answered. */
	malformed: { status: number; code: string };
	/** How a malformed body, key, `extra_data` or query is answered. */
	unreadable: { status: number; code: string };
}

const PARTNER_KEY_FIELDS = ['api_key_comfy_org', 'api_key_service_org'];
const HOSTED_EXTRA_DATA = [...PARTNER_KEY_FIELDS, 'auth_token_comfy_org'];

export interface PartnerKey {
	field: string;
	value: string;
}

/** The key of partner nodes in `extra_data`, if it has one. */
export function partnerKeyIn(extraData: Record<string, unknown>): PartnerKey | undefined {
	const [field, value] = Object.entries(extraData).find(([name]) => PARTNER_KEY_FIELDS.includes(name)) ?? [];
	return field !== undefined && typeof value === 'string' ? { field, value } : undefined;
}

export function getTraits(surface: ServiceSurface, accounts: ReadonlyMap<string, AccountName>, bearer: string): Traits {
	const hosted = {
		selfHosted: false,
		tokens: accounts,
		extraDataFields: HOSTED_EXTRA_DATA,
		malformed: { status: 422, code: 'invalid_body' },
		unreadable: { status: 422, code: 'invalid_body' },
	};
	const selfHosted: Traits = {
		selfHosted: true,
		tokens: undefined,
		list: 'newest',
		metadata: 'string',
		extraDataFields: PARTNER_KEY_FIELDS,
		malformed: { status: 422, code: 'invalid_request' },
		unreadable: { status: 400, code: 'invalid_request' },
	};
	switch (surface) {
		case 'hosted':
			return { ...hosted, list: 'not_implemented', metadata: 'refused' };
		case 'deployment':
			return { ...hosted, list: 'pages', metadata: 'labels' };
		case 'self_hosted':
			return selfHosted;
		case 'self_hosted_token':
			return { ...selfHosted, tokens: new Map([[bearer, 'local']]) };
	}
}

export const malformed = (traits: Traits, message: string): Refusal => new Refusal({ ...traits.malformed, message });
export const unreadable = (traits: Traits, message: string): Refusal => new Refusal({ ...traits.unreadable, message });

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
