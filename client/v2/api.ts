import { randomUUID } from 'node:crypto';

import { ServiceApi } from '../requests/serviceApi';
import { isRecord } from '../json/decode';
import type { CallOptions } from '../ports/jobService';
import { readV2Error, toV2Error } from './errorResponse';

/** The v2 interface. It follows links of responses, and reads errors from its error envelope. */
export class V2Api extends ServiceApi {
	override readonly root = '/api/v2';
	protected override readonly readOwnError = readV2Error;
}

const GOOD_CODES: ReadonlySet<unknown> = new Set(['not_found', 'job_not_found']);

/**
 * Requests a job that cannot exist. A 404 in this service's error envelope shows that the service answers and accepts
 * the key.
 * @throws ApiError for a wrong key; UnreadableAnswerError if something else answers; ConnectionError.
 */
export async function verifyV2Access(api: V2Api, { signal }: CallOptions = {}): Promise<void> {
	const response = await api.http.request({ method: 'GET', url: api.url(`/jobs/${randomUUID()}`), signal, totalMs: api.limits.requestMs });
	if (!response.ok && !(response.status === 404 && api.isOwnResponse(response))) throw await api.readError(response);
	const json = response.parseJson(await response.text(), { orElse: null });
	const envelope = isRecord(json) && isRecord(json.error) ? json.error : undefined;
	if (response.ok || envelope === undefined) throw response.unreadable('unexpected');
	if (!GOOD_CODES.has(envelope.code)) throw toV2Error(response, json);
}
