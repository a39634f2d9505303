import { isRecord, textOr } from '../decode';
import { ApiError } from '../errors';
import { type HttpResponse, isGatewayStatus, isHtmlType } from '../transport/response';

const CODE_OF_STATUS: Record<number, string> = {
	401: 'unauthorized',
	402: 'insufficient_credits',
	403: 'forbidden',
	404: 'not_found',
	409: 'hash_mismatch',
	413: 'payload_too_large',
	422: 'invalid_workflow',
	429: 'queue_full',
	501: 'not_implemented',
};

/** Nothing, or the page of a reverse proxy about its limit; other pages may be of a login. */
const hasNoWords = (response: HttpResponse, text: string): boolean =>
	text === '' ? !isOfFileServer(response) : response.status === 413 && isHtmlType(response.contentType);

/** The web interface of a bare ComfyUI claims every path, and has no words for a file that is not there. */
const isOfFileServer = ({ status, contentType }: HttpResponse): boolean => status === 404 && contentType === 'application/octet-stream';

interface Envelope {
	code: string;
	message: string;
	details?: unknown;
}

/**
 * Reads a failed answer.
 * @returns the service's words, or what the status alone says where there are none (HEAD, gateways).
 * @throws UnreadableAnswerError for a web page, half an answer, or another product's.
 */
export async function v2Refusal(response: HttpResponse): Promise<ApiError> {
	const text = await response.text();
	const byStatus = statusEnvelope(response.status);
	if (byStatus !== undefined && hasNoWords(response, text)) return apiError(response, byStatus);
	return v2RefusalFrom(response, response.parseJson(text, { orElse: isGatewayStatus(response.status) ? {} : undefined }));
}

/** The same for an answer that has been read. */
export function v2RefusalFrom(response: HttpResponse, json: unknown): ApiError {
	const byStatus = statusEnvelope(response.status);
	const envelope = decodeEnvelope(json, byStatus?.code) ?? (isGatewayStatus(response.status) ? byStatus : undefined);
	if (envelope === undefined) throw response.unreadable('unexpected');
	return apiError(response, envelope);
}

/** A refusal within an answer that had begun well. @returns undefined when these are not a refusal's words. */
export function refusalIn(response: HttpResponse, json: unknown): ApiError | undefined {
	const envelope = decodeEnvelope(json, undefined);
	return envelope && apiError(response, envelope);
}

function apiError({ status, requestId, retryAfterMs }: HttpResponse, envelope: Envelope): ApiError {
	return new ApiError({ interface: 'v2', status, requestId, retryAfterMs, ...envelope });
}

function statusEnvelope(status: number): Envelope | undefined {
	const code = CODE_OF_STATUS[status] ?? (status >= 500 ? 'upstream_error' : undefined);
	return code === undefined ? undefined : { code, message: `HTTP ${status}` };
}

/** `{error: {code, message, details}}`; an engine says `type` for `code`, and some gateways leave the outer level out. */
function decodeEnvelope(json: unknown, fallbackCode: string | undefined): Envelope | undefined {
	if (!isRecord(json)) return undefined;
	const error = isRecord(json.error) ? json.error : undefined;
	const code = error ? textOr(error.code, textOr(error.type, fallbackCode)) : textOr(json.code, undefined);
	const message = textOr((error ?? json).message, error && code);
	return code !== undefined && message !== undefined ? { code, message, details: (error ?? json).details } : undefined;
}
