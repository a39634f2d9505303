import { codeOfStatus } from '../requests/codeOfStatus';
import { isRecord, textOr } from '../json/decode';
import { ApiError } from '../errors/errors';
import { type HttpResponse, isGatewayStatus, isHtmlType } from '../transport/response';

const OWN_CODES: Readonly<Record<number, string>> = {
	402: 'insufficient_credits',
	409: 'hash_mismatch',
	422: 'invalid_workflow',
	429: 'queue_full',
	501: 'not_implemented',
};

/**
 * Whether the body has no error text: it is empty, or a reverse proxy's page about its size limit. Other pages may be
 * login pages.
 */
const hasNoText = (response: HttpResponse, text: string): boolean =>
	text === '' ? !isFileServer404(response) : response.status === 413 && isHtmlType(response.contentType);

/** The file server of a bare ComfyUI answers every path, with an empty 404 for a missing file. */
const isFileServer404 = ({ status, contentType }: HttpResponse): boolean => status === 404 && contentType === 'application/octet-stream';

interface ErrorEnvelope {
	code: string;
	message: string;
	details?: unknown;
}

/**
 * Reads a failed response.
 * @returns the service's error, or an error by the status alone if there is no text (HEAD, gateways).
 * @throws UnreadableAnswerError for a web page, an incomplete response or another product's.
 */
export async function readV2Error(response: HttpResponse): Promise<ApiError> {
	const text = await response.text();
	const byStatus = statusEnvelope(response.status);
	if (byStatus !== undefined && hasNoText(response, text)) return toApiError(response, byStatus);
	return toV2Error(response, response.parseJson(text, { orElse: isGatewayStatus(response.status) ? {} : undefined }));
}

/** Reads a failed response whose body has been parsed. */
export function toV2Error(response: HttpResponse, json: unknown): ApiError {
	const byStatus = statusEnvelope(response.status);
	const envelope = decodeEnvelope(json, byStatus?.code) ?? (isGatewayStatus(response.status) ? byStatus : undefined);
	if (envelope === undefined) throw response.unreadable('unexpected');
	return toApiError(response, envelope);
}

/**
 * Reads an error inside a response that started successfully.
 * @returns undefined if it is not an error envelope.
 */
export function findV2Error(response: HttpResponse, json: unknown): ApiError | undefined {
	const envelope = decodeEnvelope(json, undefined);
	return envelope && toApiError(response, envelope);
}

function toApiError({ status, requestId, retryAfterMs }: HttpResponse, envelope: ErrorEnvelope): ApiError {
	return new ApiError({ interface: 'v2', status, requestId, retryAfterMs, ...envelope });
}

function statusEnvelope(status: number): ErrorEnvelope | undefined {
	const code = codeOfStatus(status, OWN_CODES);
	return code === undefined ? undefined : { code, message: `HTTP ${status}` };
}

/**
 * Decodes `{error: {code, message, details}}`. Engines use `type` for `code`, and some gateways leave out the outer
 * level.
 */
function decodeEnvelope(json: unknown, fallbackCode: string | undefined): ErrorEnvelope | undefined {
	if (!isRecord(json)) return undefined;
	const error = isRecord(json.error) ? json.error : undefined;
	const code = error ? textOr(error.code, textOr(error.type, fallbackCode)) : textOr(json.code, undefined);
	const message = textOr((error ?? json).message, error && code);
	return code !== undefined && message !== undefined ? { code, message, details: (error ?? json).details } : undefined;
}
