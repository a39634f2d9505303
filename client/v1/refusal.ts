import { decodeRejection, hasEntries, readErrorBody, type Rejection } from '../comfyui/rejections';
import { ApiError } from '../errors';
import type { HttpResponse } from '../transport/response';
import { SUBSCRIPTION_INACTIVE } from '../transport/retry';

const CODE_OF_STATUS: Readonly<Record<number, string>> = {
	400: 'invalid_request',
	401: 'unauthorized',
	402: 'insufficient_credits',
	403: 'forbidden',
	404: 'not_found',
	405: 'not_implemented',
	413: 'payload_too_large',
	429: SUBSCRIPTION_INACTIVE,
	501: 'not_implemented',
};

/**
 * Reads a failed answer. The status decides on the code, because v1's own codes are unpublished; where they differ, the
 * service's is kept under `details`.
 * @throws UnreadableAnswerError for a web page, half an answer, or another product's, unless its status says enough.
 */
export async function v1Refusal(response: HttpResponse): Promise<ApiError> {
	const { status, requestId } = response;
	const words = decodeRejection(await readErrorBody(response));
	const code = CODE_OF_STATUS[status] ?? (status >= 500 ? 'upstream_error' : words.code);
	if (code === undefined) throw response.unreadable('unexpected');
	// Waiting does not end an inactive subscription, whatever the header says.
	const retryAfterMs = code === SUBSCRIPTION_INACTIVE ? undefined : response.retryAfterMs;
	return new ApiError({
		interface: 'v1',
		code,
		status,
		message: messageOf(words, status),
		details: detailsOf(words, code),
		requestId,
		retryAfterMs,
	});
}

const messageOf = ({ message, code }: Rejection, status: number): string => message ?? code ?? `HTTP ${status}`;

function detailsOf({ code: ownCode, details }: Rejection, code: string): unknown {
	const isHidden = ownCode !== undefined && ownCode !== code && ownCode !== details.type;
	const all = isHidden ? { ...details, code: ownCode } : details;
	return hasEntries(all) ? all : undefined;
}
