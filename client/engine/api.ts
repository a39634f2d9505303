import { codeOfStatus } from '../requests/codeOfStatus';
import { ServiceApi } from '../requests/serviceApi';
import { decodeRejection, hasEntries, readErrorBody } from '../comfyui/rejections';
import type { FoundService } from '../connection/connection';
import { isRecord, requireRecord, textOr, type Unchecked } from '../json/decode';
import { ApiError, ShapeError, StoppedError, UnreadableAnswerError } from '../errors/errors';
import type { Engine } from '../generated/engine';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import type { HttpResponse } from '../transport/response';
import { isTransient } from '../contact/failures';

/** An engine that answered this recently is up, and so is the connection. */
const AWAKE_MS = 5_000;

/** A bare ComfyUI. Every route that the client calls exists below `/api`, where reverse proxies expect it. */
export class EngineApi extends ServiceApi {
	override readonly root = '/api';
	protected override readonly readOwnError = readEngineError;

	/**
	 * Sends the smallest request there is, unless the engine answered recently.
	 * @throws the error if the engine is not up yet, or if a web page answers in its place. The next call reports any
	 *   other failure.
	 */
	async requireAwake({ signal }: CallOptions): Promise<void> {
		if (this.http.contact?.hasAnsweredWithin(AWAKE_MS)) return;
		const result = await outcomeOf(this.call({ method: 'GET', url: this.url('/prompt'), signal }, (json) => requireRecord(json, 'answer')));
		if (result.ok) return;
		const { error } = result;
		const isWebPage = error instanceof UnreadableAnswerError && error.facts.reason === 'html';
		if (error instanceof StoppedError || isTransient(error) || isWebPage) throw error;
	}
}

/** The oldest version known to use the requested id for a prompt. */
const MIN_VERSION_WITH_IDS = '0.3.64';

/**
 * Reads the version of ComfyUI with one request.
 * @returns the version; null if ComfyUI does not know it.
 * @throws ApiError if a reverse proxy rejects; UnreadableAnswerError if something else answers; ConnectionError.
 */
export async function readEngineVersion(api: EngineApi, { signal }: CallOptions = {}): Promise<FoundService['version']> {
	return versionOf(await api.call({ method: 'GET', url: api.url('/system_stats'), signal }, decodeSystem));
}

/** Returns null if ComfyUI does not know its version, because it runs from a folder without its git history. */
export const versionOf = ({ comfyui_version: version }: SystemRecord): FoundService['version'] =>
	version === 'unknown' ? null : textOr(version, null);

/** Whether this version uses the requested id of a prompt; false if that is unknown. */
export const usesRequestedIds = (version: FoundService['version']): boolean =>
	version !== null && /^\d+\./.test(version) && version.localeCompare(MIN_VERSION_WITH_IDS, 'en', { numeric: true }) >= 0;

type SystemRecord = Unchecked<Engine['SystemStats']['system']>;

export function decodeSystem(value: unknown): SystemRecord {
	const { system } = requireRecord<Engine['SystemStats']>(value, 'answer');
	if (!isRecord(system)) throw new ShapeError('response has no system');
	return system;
}

/** An engine rejects workflows and files. The other statuses come from a reverse proxy in front of it. */
const OWN_CODES: Readonly<Record<number, string>> = { 400: 'invalid_request', 405: 'not_implemented', 429: 'rate_limited' };

/**
 * Reads a failed response.
 * @throws UnreadableAnswerError for a web page, an incomplete response or another product's.
 */
async function readEngineError(response: HttpResponse): Promise<ApiError> {
	const { status, requestId, retryAfterMs } = response;
	const body = await readErrorBody(response);
	const code = codeOfStatus(status, OWN_CODES);
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
 * Whether a 404 is the engine's own. For a missing job it has a text in `error`, and for a missing file it is empty.
 * For a missing route the file server answers, or aiohttp's text comes. An envelope with a code is the API proxy's.
 */
function isOwnNotFound(body: unknown, { pathname }: URL): boolean {
	if (/\/userdata(\/[^/]+)?$/.test(pathname)) return !isRecord(body) || typeof body.error === 'string';
	return body === undefined ? pathname.endsWith('/view') : isRecord(body) && typeof body.error === 'string';
}
