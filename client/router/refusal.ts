import { isRecord, type JsonRecord, numberOr, textOr } from '../decode';
import { ApiError, UnreadableAnswerError } from '../errors';
import { type Outcome, outcomeOf } from '../transport/outcome';
import type { HttpResponse } from '../transport/response';
import { bucketOf, bucketOfStatus, isBucket } from './buckets';
import { headerNumber, spendOf } from './headers';
import { faultText, inputFaults, type RouterInputFault } from './inputFaults';
import type { RouterSpend } from './types';

const LONGEST_TEXT = 500;
/** What the message and the code say already. */
const IN_FACTS: ReadonlySet<string> = new Set(['detail', 'error_type']);

/** `details` of a refusal; each only where the router told it. Fields it adds stay beside these. */
export interface RouterRefusalDetails {
	/** The router's own word, where it is new to us and the code is `internal_error` for that reason. */
	error_type?: string;
	/** What is wrong with the input, place by place. */
	detail?: RouterInputFault[];
	upstream_detail?: unknown;
	upstream_status?: number;
	refusal_subject?: unknown;
	spend?: RouterSpend;
	[unknownField: string]: unknown;
}

/**
 * Reads a failed answer. Its kind stands in a header, so that a page, half a body or a text in place of the router's own
 * words hides nothing.
 * @throws UnreadableAnswerError where no header names a bucket and the status alone does not say enough.
 */
export async function routerRefusal(response: HttpResponse): Promise<ApiError> {
	return routerRefusalOfRead(response, await readBody(response));
}

/** JSON, or the text in its place; or why there is none. */
export const readBody = async (response: HttpResponse): Promise<Outcome<unknown>> =>
	await outcomeOf(response.text().then((text) => response.parseJson(text, { orElse: text })));

/** The same for an answer that has been read. */
export function routerRefusalOfRead(response: HttpResponse, read: Outcome<unknown>): ApiError {
	const { status, requestId, retryAfterMs } = response;
	const word = response.vendorHeader('error-type');
	if (!read.ok && !(word !== undefined && read.error instanceof UnreadableAnswerError)) throw read.error;
	const code = word === undefined ? bucketOfStatus(status) : bucketOf(word);
	if (code === undefined) throw response.unreadable('unexpected');
	const body = read.ok ? read.value : undefined;
	const details = { ...(word !== undefined && !isBucket(word) && { error_type: word }), ...headerDetails(response), ...bodyDetails(body) };
	return new ApiError({
		interface: 'router',
		code,
		status,
		message: messageOf(body, details) ?? `HTTP ${status}`,
		details: Object.keys(details).length > 0 ? details : undefined,
		requestId,
		retryAfterMs,
	});
}

function messageOf(body: unknown, details: RouterRefusalDetails): string | undefined {
	if (typeof body === 'string') return body.trim().slice(0, LONGEST_TEXT) || undefined;
	if (details.detail !== undefined) return details.detail.map(faultText).join('; ') || undefined;
	return isRecord(body) ? textOr(body.detail, textOr(body.message, undefined)) : undefined;
}

/** A refused input has a list under `detail`, every other refusal a text, which becomes the message. */
function bodyDetails(body: unknown): RouterRefusalDetails {
	if (!isRecord(body)) return {};
	const rest = Object.entries(body).filter(([field]) => !IN_FACTS.has(field));
	return { ...Object.fromEntries(rest), ...(Array.isArray(body.detail) && { detail: inputFaults(body.detail) }) };
}

function headerDetails(response: HttpResponse): JsonRecord {
	const told = {
		upstream_detail: response.vendorHeader('upstream-detail'),
		upstream_status: numberOr(headerNumber(response.vendorHeader('upstream-status')), undefined),
		refusal_subject: response.vendorHeader('refusal-subject'),
		spend: spendOf(response) ?? undefined,
	};
	return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}
