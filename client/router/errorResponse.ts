import { isRecord, type JsonRecord, numberOr, recordsOf, textOr, type Unchecked } from '../json/decode';
import { ApiError, UnreadableAnswerError } from '../errors/errors';
import type { Router } from '../generated/router';
import { type Outcome, outcomeOf } from '../async/outcome';
import type { HttpResponse } from '../transport/response';
import { parseHeaderNumber, readSpend } from './decode';
import type { RouterSpend } from './types';

/** Left out of `details`, because message and code contain them. */
const IN_FACTS: ReadonlySet<string> = new Set(['detail', 'error_type']);

/** The `details` of an error. Each field is present only if the router sent it. Fields that it adds are kept with these. */
export interface RouterErrorDetails {
	/** The router's own bucket, if it is unknown and the code is therefore `internal_error`. */
	error_type?: string;
	/** What is wrong with the input, one entry for each place. */
	detail?: RouterInputFault[];
	upstream_detail?: unknown;
	upstream_status?: number;
	refusal_subject?: unknown;
	spend?: RouterSpend;
	[unknownField: string]: unknown;
}

/**
 * Reads a failed response. The bucket is in a header, so a web page or an incomplete body does not hide it.
 * @throws UnreadableAnswerError if no header names a bucket and the status alone is not enough.
 */
export async function readRouterError(response: HttpResponse): Promise<ApiError> {
	return toRouterError(response, await readBody(response));
}

/** Returns the JSON, or the text if it is not JSON; or the error of the read. */
export const readBody = async (response: HttpResponse): Promise<Outcome<unknown>> =>
	await outcomeOf(response.text().then((text) => response.parseJson(text, { orElse: text })));

/** Reads a failed response whose body has been read. */
export function toRouterError(response: HttpResponse, read: Outcome<unknown>): ApiError {
	const { status, requestId, retryAfterMs } = response;
	const errorType = response.vendorHeader('error-type');
	if (!read.ok && !(errorType !== undefined && read.error instanceof UnreadableAnswerError)) throw read.error;
	const code = errorType === undefined ? statusToBucket(status) : toBucket(errorType);
	if (code === undefined) throw response.unreadable('unexpected');
	const body = read.ok ? read.value : undefined;
	const details = {
		...(errorType !== undefined && !isBucket(errorType) && { error_type: errorType }),
		...readHeaderDetails(response),
		...readBodyDetails(body),
	};
	return new ApiError({
		interface: 'router',
		code,
		status,
		message: toMessage(body, details) ?? `HTTP ${status}`,
		details: Object.keys(details).length > 0 ? details : undefined,
		requestId,
		retryAfterMs,
	});
}

function toMessage(body: unknown, details: RouterErrorDetails): string | undefined {
	if (typeof body === 'string') return body.trim() || undefined;
	if (details.detail !== undefined) return details.detail.map(formatFault).join('; ') || undefined;
	return isRecord(body) ? textOr(body.detail, textOr(body.message, undefined)) : undefined;
}

/** A rejected input has a list in `detail`. Every other error has a text, which becomes the message. */
function readBodyDetails(body: unknown): RouterErrorDetails {
	if (!isRecord(body)) return {};
	const rest = Object.entries(body).filter(([field]) => !IN_FACTS.has(field));
	return { ...Object.fromEntries(rest), ...(Array.isArray(body.detail) && { detail: decodeInputFaults(body.detail) }) };
}

function readHeaderDetails(response: HttpResponse): JsonRecord {
	const fields = {
		upstream_detail: response.vendorHeader('upstream-detail'),
		upstream_status: numberOr(parseHeaderNumber(response.vendorHeader('upstream-status')), undefined),
		refusal_subject: response.vendorHeader('refusal-subject'),
		spend: readSpend(response) ?? undefined,
	};
	return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The router's error buckets: fifteen from the specification, then four that only newer documents name. */
export const ROUTER_BUCKETS = [
	'invalid_input',
	'content_policy_violation',
	'provider_error',
	'provider_timeout',
	'insufficient_credits',
	'model_not_found',
	'unauthorized',
	'forbidden',
	'concurrency_limit_exceeded',
	'client_disconnected',
	'internal_error',
	'deadline_exceeded',
	'not_enabled',
	'service_unavailable',
	'rate_limited',
	'cancelled',
	'queue_timeout',
	'request_not_found',
	'queue_backlog_full',
] as const;

export type RouterBucket = (typeof ROUTER_BUCKETS)[number];

const KNOWN_BUCKETS: ReadonlySet<string> = new Set(ROUTER_BUCKETS);

const isBucket = (errorType: string): errorType is RouterBucket => KNOWN_BUCKETS.has(errorType);

/** Returns the bucket; an unknown one counts as `internal_error`. */
export const toBucket = (errorType: string): RouterBucket => (isBucket(errorType) ? errorType : 'internal_error');

/**
 * The buckets for statuses of gateways in front of the router. 400, 404 and similar statuses without a bucket come from
 * another product.
 */
const BUCKET_OF_STATUS: Readonly<Record<number, RouterBucket>> = {
	401: 'unauthorized',
	402: 'insufficient_credits',
	403: 'forbidden',
	429: 'rate_limited',
	503: 'service_unavailable',
};

const statusToBucket = (status: number): RouterBucket | undefined =>
	BUCKET_OF_STATUS[status] ?? (status >= 500 ? 'internal_error' : undefined);

/** Why an input was rejected, in the service's own text. Fields that it adds are kept with these. */
export interface RouterInputFault {
	/** The path to the input, outermost first. A number is an index in a list. */
	loc: unknown;
	msg: unknown;
	type: unknown;
	/** `loc` as text: `messages[0].role`. */
	path: string;
	[unknownField: string]: unknown;
}

const decodeInputFaults = (detail: unknown[]): RouterInputFault[] => recordsOf<Router['ValidationEntry']>(detail).map(decodeInputFault);

function decodeInputFault(entry: Unchecked<Router['ValidationEntry']>): RouterInputFault {
	return { ...entry, loc: entry.loc, msg: entry.msg, type: entry.type, path: formatPath(entry.loc) };
}

/** The path starts with `body`, which is left out unless the whole body is meant. */
function formatPath(loc: unknown): string {
	const steps = Array.isArray(loc) ? loc : [];
	const inBody = steps.length > 1 && steps[0] === 'body' ? steps.slice(1) : steps;
	return inBody.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: unknown): string {
	if (typeof step === 'number') return `[${step}]`;
	const name = String(step);
	return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const formatFault = ({ path, msg }: RouterInputFault): string => [path, textOr(msg, '')].filter((part) => part !== '').join(': ');
