import type { FoundService } from '../connection';
import { isRecord, requireRecord, textOr, type Told } from '../decode';
import { ShapeError } from '../errors';
import type { Engine } from '../generated/engine';
import type { CallOptions } from '../ports';
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

function decodeSystem(value: unknown): Told<Engine['SystemStats']['system']> {
	const { system } = requireRecord<Engine['SystemStats']>(value, 'answer');
	if (!isRecord(system)) throw new ShapeError('answer tells of no system');
	return system;
}
