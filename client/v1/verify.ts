import type { CallOptions } from '../ports';
import type { ServiceApi } from '../api';
import { decodeQueue } from '../comfyui/queueControl';

/**
 * Asks once for the queue, which only this service has.
 * @throws ApiError for a wrong key; UnreadableAnswerError when something else answers; ConnectionError.
 */
export async function verifyV1Access(api: ServiceApi, { signal }: CallOptions = {}): Promise<void> {
	const response = await api.http.request({ method: 'GET', url: api.url('/queue'), signal, totalMs: api.limits.requestMs });
	if (response.ok) return void (await api.decoded(response, decodeQueue));
	const refusal = await api.refusalOf(response);
	// Whoever has no queue is another product.
	throw [404, 405].includes(refusal.status) ? response.unreadable('unexpected', { cause: refusal }) : refusal;
}
