import { jsonBody } from '../api';
import type { JsonRecord } from '../decode';
import { ApiError } from '../errors';
import { isSendableKey, SENDABLE_KEYS } from '../idempotencyKey';
import type { HttpRequest } from '../transport/http';
import { retry } from '../transport/retry';
import type { RouterApi } from './api';
import type { Deadline } from './persist';
import type { RouterRunOptions } from './types';

/** A model may answer with any media type. */
const ACCEPT = { accept: 'application/json, */*;q=0.9' };

/**
 * One keyed call, the same in every attempt.
 * @param path below the prefix, which is found first, by reads alone.
 * @throws ApiError `invalid_input` for a key that cannot be sent.
 */
export async function keyedCall(
	api: RouterApi,
	path: string,
	input: JsonRecord,
	options: RouterRunOptions,
	deadline: Deadline,
): Promise<HttpRequest> {
	const { idempotencyKey, query = {}, signal } = options;
	if (!isSendableKey(idempotencyKey)) {
		throw new ApiError({ interface: 'router', code: 'invalid_input', status: 400, message: SENDABLE_KEYS });
	}
	const body = jsonBody(input);
	const { pauseScale } = api.limits;
	const url = await retry(() => api.route(path, { signal }), {
		budgetMs: deadline.remainingMs,
		contact: api.http.contact,
		signal,
		pauseScale,
	});
	url.search = new URLSearchParams(query).toString();
	const headers = { ...body.headers, ...ACCEPT, 'idempotency-key': idempotencyKey };
	return { ...body, method: 'POST', url, headers, signal };
}

export const resultRequest = (url: URL): HttpRequest => ({ method: 'GET', url, headers: ACCEPT });
