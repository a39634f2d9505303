/** Errors of the router as facts, and as it writes them. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FaultAnswer } from '../faultTypes';
import type { Behaviour } from '../behaviour';

/** One entry of a 422. */
export interface ValidationEntry {
	loc: Array<string | number>;
	msg: string;
	type: string;
	input?: unknown;
}

interface RouterRefusalFacts {
	status: number;
	/** The error bucket. */
	bucket: string;
	detail: string | ValidationEntry[];
	/** Seconds. */
	retryAfter?: number;
	/** More headers. `X-Vendor-` becomes the vendor prefix of the service. */
	headers?: Record<string, string>;
	/** Further fields of the body. */
	extra?: Record<string, unknown>;
}

export class RouterRefusal extends Error {
	constructor(readonly facts: RouterRefusalFacts) {
		super(typeof facts.detail === 'string' ? facts.detail : 'The input is not valid');
	}
}

const refusalOf = (status: number, bucket: string) => (detail: string) => new RouterRefusal({ status, bucket, detail });

export const unknownCaller = refusalOf(401, 'unauthorized');
export const notEnabled = refusalOf(403, 'not_enabled');
export const invalidInput = refusalOf(400, 'invalid_input');
export const keyConflict = refusalOf(409, 'invalid_input');
export const providerError = refusalOf(502, 'provider_error');
export const requestNotFound = refusalOf(404, 'request_not_found');

export const stillRunning = (retryAfter: number): RouterRefusal =>
	new RouterRefusal({
		status: 409,
		bucket: 'concurrency_limit_exceeded',
		detail: 'The original call with this Idempotency-Key is still running',
		retryAfter,
	});

/** @param retryAfter only if a later call can collect the result. */
export const deadlineExceeded = (retryAfter?: number): RouterRefusal =>
	new RouterRefusal({
		status: 504,
		bucket: 'deadline_exceeded',
		detail: 'The connection was not held any longer',
		...(retryAfter !== undefined && { retryAfter }),
	});

export const invalidFields = (entries: ValidationEntry[]): RouterRefusal =>
	new RouterRefusal({ status: 422, bucket: 'invalid_input', detail: entries });

export function policyViolation(): RouterRefusal {
	const detail = 'The provider refused on content-policy grounds';
	const upstream = 'Your request was rejected by the safety system';
	return new RouterRefusal({
		status: 400,
		bucket: 'content_policy_violation',
		detail,
		headers: { 'X-Vendor-Upstream-Status': '400', 'X-Vendor-Upstream-Detail': upstream, 'X-Vendor-Refusal-Subject': 'input' },
		extra: { upstream_detail: upstream, refusal_subject: 'input' },
	});
}

export function sendRefusal(reply: FastifyReply, error: unknown, behaviour: Behaviour): FastifyReply {
	const { status, bucket, detail, retryAfter, headers = {}, extra } = factsOf(error);
	setHeaders(reply, { 'X-Vendor-Error-Type': bucket, 'X-Content-Type-Options': 'nosniff', ...headers }, behaviour);
	if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
	return reply.code(status).send(typeof detail === 'string' ? { detail, error_type: bucket, ...extra } : { detail });
}

/** @returns the facts of a refusal; what is none is an internal error. */
export function factsOf(error: unknown): RouterRefusalFacts {
	if (error instanceof RouterRefusal) return error.facts;
	const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
	if (status >= 400 && status < 500 && error instanceof Error) return { status, bucket: 'invalid_input', detail: error.message };
	// The service hides such causes from callers. The developer should see them.
	process.emitWarning(error instanceof Error ? error : String(error));
	return { status: 500, bucket: 'internal_error', detail: 'Internal server error' };
}

/**
 * An injected answer that names a code gets the router's body and bucket header in place of the v2 envelope.
 * If its `details` are a list, they are the body of a 422.
 */
export function toRouterAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, behaviour: Behaviour): unknown {
	const answer = request.faultRule?.answer;
	if (answer?.code === undefined || !inEnvelope(answer)) return payload;
	setHeaders(reply, { 'X-Vendor-Error-Type': answer.code }, behaviour);
	const { code, message = `Injected ${code}`, details } = answer;
	return JSON.stringify(Array.isArray(details) ? { detail: details } : { detail: message, error_type: code });
}

const inEnvelope = ({ body, html, badJson, json }: FaultAnswer): boolean =>
	body === undefined && html !== true && badJson !== true && json === undefined;

/** `X-Vendor-Error-Type` as this service spells it; other names stay as they are. */
export function vendorHeader(name: string, { requestIdHeader }: Behaviour): string {
	return name.replace(/^X-Vendor-/, requestIdHeader.replace('Request-Id', ''));
}

export function setHeaders(reply: FastifyReply, headers: Record<string, string>, behaviour: Behaviour): void {
	for (const [name, value] of Object.entries(headers)) reply.header(vendorHeader(name, behaviour), value);
}
