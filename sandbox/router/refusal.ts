/** Refusals as the router writes them. */

/** One entry of a 422. */
export interface ValidationEntry {
	loc: Array<string | number>;
	msg: string;
	type: string;
	ctx?: Record<string, unknown>;
	input?: unknown;
}

export interface RouterRefusalFacts {
	status: number;
	/** The error bucket. */
	bucket: string;
	detail: string | ValidationEntry[];
	/** Seconds. */
	retryAfter?: number;
	/** Beside the bucket; a name that begins with `X-Vendor-` is spelled as the service spells its own. */
	headers?: Record<string, string>;
	/** Further fields of the body. */
	extra?: Record<string, unknown>;
}

export class RouterRefusal extends Error {
	constructor(readonly facts: RouterRefusalFacts) {
		super(typeof facts.detail === 'string' ? facts.detail : 'The input is not valid');
	}
}

const refusalOf =
	(status: number, bucket: string) =>
	(detail: string, rest: Partial<RouterRefusalFacts> = {}) =>
		new RouterRefusal({ status, bucket, detail, ...rest });

export const unknownCaller = refusalOf(401, 'unauthorized');
export const forbidden = refusalOf(403, 'forbidden');
export const notEnabled = refusalOf(403, 'not_enabled');
export const invalidInput = refusalOf(400, 'invalid_input');
export const keyConflict = refusalOf(409, 'invalid_input');
export const insufficientCredits = refusalOf(402, 'insufficient_credits');
export const tooManyAtOnce = refusalOf(429, 'concurrency_limit_exceeded');
export const providerError = refusalOf(502, 'provider_error');
export const requestNotFound = refusalOf(404, 'request_not_found');

export const stillRunning = (retryAfter: number): RouterRefusal =>
	new RouterRefusal({
		status: 409,
		bucket: 'concurrency_limit_exceeded',
		detail: 'The original call with this Idempotency-Key is still running',
		retryAfter,
	});

/** @param retryAfter only where something can be collected. */
export const deadlineExceeded = (retryAfter?: number): RouterRefusal =>
	new RouterRefusal({
		status: 504,
		bucket: 'deadline_exceeded',
		detail: 'The connection was not held any longer',
		...(retryAfter !== undefined && { retryAfter }),
	});

export const invalidFields = (entries: ValidationEntry[]): RouterRefusal =>
	new RouterRefusal({ status: 422, bucket: 'invalid_input', detail: entries });

export function policyViolation(subject: 'input' | 'output'): RouterRefusal {
	const detail = 'The provider refused on content-policy grounds';
	const upstream = 'Your request was rejected by the safety system';
	return new RouterRefusal({
		status: 400,
		bucket: 'content_policy_violation',
		detail,
		headers: { 'X-Vendor-Upstream-Status': '400', 'X-Vendor-Upstream-Detail': upstream, 'X-Vendor-Refusal-Subject': subject },
		extra: { upstream_detail: upstream, refusal_subject: subject },
	});
}
