import type { FoundService } from '../connect';
import { recordOf, ShapeError, textOr } from '../fields';
import { isRecord, type JsonRecord } from '../records';
import type { CallOptions } from '../services';
import type { EngineApi } from './api';

/** The oldest version known to give a prompt the id it asks for. */
const KEEPS_IDS_SINCE = '0.3.64';

/**
 * Asks once for what only a ComfyUI tells of itself.
 * @returns its version; null where it does not know it.
 * @throws ApiError where a reverse proxy refuses; UnreadableAnswerError when something else answers; ConnectionError.
 */
export async function engineVersion(api: EngineApi, { signal }: CallOptions = {}): Promise<FoundService['version']> {
	const { comfyui_version: version } = await api.call({ method: 'GET', url: api.url('/system_stats'), signal }, decodeSystem);
	return version === 'unknown' ? null : textOr(version, null);
}

/** Whether a prompt gets the id it asks for; false where that is not known. */
export const keepsIds = (version: FoundService['version']): boolean =>
	version !== null && /^\d+\./.test(version) && version.localeCompare(KEEPS_IDS_SINCE, 'en', { numeric: true }) >= 0;

function decodeSystem(value: unknown): JsonRecord {
	const { system } = recordOf(value, 'answer');
	if (!isRecord(system)) throw new ShapeError('answer tells of no system');
	return system;
}
