import { codeOfStatus } from '../requests/codeOfStatus';
import { ServiceApi } from '../requests/serviceApi';
import { decodeQueue } from '../comfyui/queueControl';
import { decodeRejection, hasEntries, readErrorBody, type Rejection } from '../comfyui/rejections';
import { ApiError } from '../errors/errors';
import type { CallOptions } from '../ports/jobService';
import type { HttpResponse } from '../transport/response';
import { SUBSCRIPTION_INACTIVE } from '../contact/failures';

/** The deprecated v1 interface of the hosted service. Its responses contain no links, so addresses are built. */
export class V1Api extends ServiceApi {
	override readonly root = '/api';
	protected override readonly readOwnError = readV1Error;
}

/**
 * Reads the queue once, because only this service has that route.
 * @throws ApiError for a wrong key; UnreadableAnswerError if something else answers; ConnectionError.
 */
export async function verifyV1Access(api: ServiceApi, { signal }: CallOptions = {}): Promise<void> {
	const response = await api.http.request({ method: 'GET', url: api.url('/queue'), signal, totalMs: api.limits.requestMs });
	if (response.ok) return void (await api.decodeResponse(response, decodeQueue));
	const rejection = await api.readError(response);
	// A server without a queue is another product.
	throw [404, 405].includes(rejection.status) ? response.unreadable('unexpected', { cause: rejection }) : rejection;
}

const OWN_CODES: Readonly<Record<number, string>> = {
	400: 'invalid_request',
	402: 'insufficient_credits',
	405: 'not_implemented',
	429: SUBSCRIPTION_INACTIVE,
	501: 'not_implemented',
};

/**
 * Reads a failed response. v1's own codes are not documented, so the HTTP status determines the code. If v1's code
 * differs, it is kept in `details`.
 * @throws UnreadableAnswerError for a web page, an incomplete response or another product's, unless the status is
 *   enough.
 */
async function readV1Error(response: HttpResponse): Promise<ApiError> {
	const { status, requestId } = response;
	const words = decodeRejection(await readErrorBody(response));
	const code = codeOfStatus(status, OWN_CODES) ?? words.code;
	if (code === undefined) throw response.unreadable('unexpected');
	// Waiting does not end an inactive subscription, even if the response has Retry-After.
	const retryAfterMs = code === SUBSCRIPTION_INACTIVE ? undefined : response.retryAfterMs;
	return new ApiError({
		interface: 'v1',
		code,
		status,
		message: toMessage(words, status),
		details: toDetails(words, code),
		requestId,
		retryAfterMs,
	});
}

const toMessage = ({ message, code }: Rejection, status: number): string => message ?? code ?? `HTTP ${status}`;

function toDetails({ code: ownCode, details }: Rejection, code: string): unknown {
	const isHidden = ownCode !== undefined && ownCode !== code && ownCode !== details.type;
	const all = isHidden ? { ...details, code: ownCode } : details;
	return hasEntries(all) ? all : undefined;
}
