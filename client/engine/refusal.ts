import { ApiError } from '../errors';
import { isRecord } from '../decode';
import type { HttpResponse } from '../transport/response';
import { decodeRejection, hasEntries, readErrorBody } from '../comfyui/rejections';

/** An engine refuses workflows and files; whatever else stands here comes from a reverse proxy in front of it. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
	400: 'invalid_request',
	401: 'unauthorized',
	403: 'forbidden',
	404: 'not_found',
	405: 'not_implemented',
	413: 'payload_too_large',
	429: 'rate_limited',
};

/**
 * Reads a failed answer.
 * @throws UnreadableAnswerError for a web page, half an answer, or another product's.
 */
export async function engineRefusal(response: HttpResponse): Promise<ApiError> {
	const { status, requestId, retryAfterMs } = response;
	const body = await readErrorBody(response);
	const code = CODE_OF_STATUS[status] ?? (status >= 500 ? 'upstream_error' : undefined);
	if (code === undefined || (status === 404 && !isOwnNotFound(body, response.url))) throw response.unreadable('unexpected');
	const { message = `HTTP ${status}`, details } = decodeRejection(body);
	return new ApiError({
		interface: 'engine',
		code,
		status,
		message,
		details: hasEntries(details) ? details : undefined,
		requestId,
		retryAfterMs,
	});
}

/**
 * A job that is not there has a sentence, a file that is not there has no words. Nor has a route, where the web interface
 * looks for a file of that name; other versions have aiohttp's text. An envelope with a code is the proxy's.
 */
function isOwnNotFound(body: unknown, { pathname }: URL): boolean {
	if (/\/userdata(\/[^/]+)?$/.test(pathname)) return !isRecord(body) || typeof body.error === 'string';
	return body === undefined ? pathname.endsWith('/view') : isRecord(body) && typeof body.error === 'string';
}
