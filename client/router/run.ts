import { PeekedBytes } from '../files/peek';
import { jsonBody } from '../requests/serviceApi';
import type { JsonRecord } from '../json/decode';
import { ApiError } from '../errors/errors';
import { isSendableKey, SENDABLE_KEYS } from '../text/identifiers';
import type { HttpRequest } from '../transport/http';
import { type HttpResponse, isHtmlType } from '../transport/response';
import type { RouterApi, RouterLimits } from './api';
import { modelPath } from './catalog';
import { readRunFacts } from './decode';
import { Deadline, sendUntilAnswered } from './sendUntilAnswered';
import type { RouterModelId, RouterOutput, RouterRun, RouterRunOptions } from './types';

/** Runs a model and waits for its result, by the retry table and with one key. */
export async function runModel(api: RouterApi, id: RouterModelId, input: JsonRecord, options: RouterRunOptions): Promise<RouterRun> {
	const { idempotencyKey, maxWaitMs } = options;
	const { limits } = api;
	const deadline = new Deadline(maxWaitMs);
	const call = await prepareCall(api, modelPath(id), input, options, deadline);
	const attempt = async (answerMs: number) =>
		await readRun(
			await api.send({ ...call, answerMs, isHeld: true, idleMs: limits.downloadIdleMs, wholeMs: remainingTime(deadline, limits) }),
			idempotencyKey,
		);
	return await sendUntilAnswered(attempt, { ...options, deadline, limits, contact: api.http.contact, closed: api.http.closed });
}

/**
 * The time for a response that is read in full: the rest of the wait when the response begins, and at least the time of
 * one call.
 */
export const remainingTime =
	(deadline: Deadline, { requestMs }: Pick<RouterLimits, 'requestMs'>) =>
	(): number =>
		Math.max(deadline.remainingMs, requestMs);

/**
 * Reads a finished run.
 * @throws UnreadableAnswerError for any other response.
 */
export async function readRun(response: HttpResponse, idempotencyKey: string | null): Promise<RouterRun> {
	if (response.status === 200) return { facts: readRunFacts(response, idempotencyKey), output: await readOutput(response) };
	await response.discard();
	throw response.unreadable('unexpected');
}

/** A model may return any media type. */
const ACCEPT = { accept: 'application/json, */*;q=0.9' };

/**
 * Prepares a call with an idempotency key, which is the same in every attempt.
 * @param path below the prefix. The prefix is found first, with reads only.
 * @throws ApiError `invalid_input` for a key that cannot be sent.
 */
export async function prepareCall(
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
	const url = await api.repeatFor(deadline.remainingMs, () => api.route(path, { signal }), { signal });
	url.search = new URLSearchParams(query).toString();
	const headers = { ...body.headers, ...ACCEPT, 'idempotency-key': idempotencyKey };
	return { ...body, method: 'POST', url, headers, signal };
}

export const toResultRequest = (url: URL): HttpRequest => ({ method: 'GET', url, headers: ACCEPT });

const MEBIBYTE = 1024 * 1024;
/** Larger JSON is not kept in memory, but returned as bytes. */
const MAX_JSON_BYTES = 64 * MEBIBYTE;
/**
 * A file up to this size is downloaded before it is returned, so that a lost connection can be repaired with another
 * request.
 */
const MAX_HELD_FILE_BYTES = 8 * MEBIBYTE;

/**
 * Reads the result of a run by its media type.
 * @throws UnreadableAnswerError for incomplete JSON, or a web page that is not the router's; ConnectionError if the
 *   connection is lost before a small result is complete.
 */
async function readOutput(response: HttpResponse): Promise<RouterOutput> {
	const contentType = response.contentType ?? 'application/octet-stream';
	if (isHtmlType(contentType) && response.requestId === undefined) throw response.unreadable('html');
	const isJson = /^application\/(.+\+)?json\s*(;|$)/i.test(contentType);
	const limit = isJson ? MAX_JSON_BYTES : MAX_HELD_FILE_BYTES;
	const announced = response.sizeBytes;
	const body = new PeekedBytes(response.chunks());
	await response.withTotalLimit(async () => await body.readAhead(announced !== null && announced > limit ? 1 : limit + 1));
	if (isJson && body.isComplete) return { kind: 'json', value: response.parseJson(new TextDecoder().decode(body.head)) };
	return { kind: 'bytes', contentType, sizeBytes: body.isComplete ? body.bufferedBytes : announced, bytes: body };
}
