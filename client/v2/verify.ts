import { randomUUID } from 'node:crypto';

import type { CallOptions } from '../ports';
import type { V2Api } from './api';
import { isRecord } from '../decode';
import { v2RefusalFrom } from './refusal';

const GOOD_CODES: ReadonlySet<unknown> = new Set(['not_found', 'job_not_found']);

/**
 * Asks once for a job that cannot exist: who says so, in this service's own envelope, is this service and accepts the key.
 * @throws ApiError for a wrong key; UnreadableAnswerError when something else answers; ConnectionError.
 */
export async function verifyV2Access(api: V2Api, { signal }: CallOptions = {}): Promise<void> {
	const response = await api.http.request({ method: 'GET', url: api.url(`/jobs/${randomUUID()}`), signal, totalMs: api.limits.requestMs });
	if (!response.ok && !(response.status === 404 && api.isOwn(response))) throw await api.refusalOf(response);
	const json = response.parseJson(await response.text(), { orElse: null });
	const envelope = isRecord(json) && isRecord(json.error) ? json.error : undefined;
	if (response.ok || envelope === undefined) throw response.unreadable('unexpected');
	if (!GOOD_CODES.has(envelope.code)) throw v2RefusalFrom(response, json);
}
