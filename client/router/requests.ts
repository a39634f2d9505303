/** Queued delivery, call by call. */
import { isRecord, textOr, type Told } from '../decode';
import { StoppedError } from '../errors';
import type { Router } from '../generated/router';
import { pathSegment } from '../pathSegment';
import type { CallOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';
import type { HttpResponse } from '../transport/response';
import { isForeign404, isTransient } from '../transport/retry';
import type { RouterApi } from './api';
import { resultRequest } from './call';
import { decodeRequest } from './decode';
import { endByResult, endByStatus, tellsTheEnd } from './ended';
import { answerFacts } from './headers';
import { modelPath } from './modelId';
import { readBody, routerRefusalOfRead } from './refusal';
import { leavesItOpen } from './retryTable';
import { runOf } from './run';
import type { RouterFacts, RouterRequest, RouterRequestAddress, RouterRun } from './types';

export interface RequestLinks {
	status: URL;
	result: URL;
	cancel: URL;
}

/** The answer's own links where they are on the router's origin, else built: the credential goes nowhere else. */
export async function linksOf(
	api: RouterApi,
	{ model, id }: RouterRequestAddress,
	answer: Told<Router['RequestStatus']>,
	options: CallOptions = {},
): Promise<RequestLinks> {
	const built = await api.route(`${modelPath(model)}/requests/${pathSegment(id, 'router', 'request_not_found')}`, options);
	const { origin } = api.address;
	const own = (link: unknown, otherwise: string): URL => {
		const isLink = typeof link === 'string' && (URL.canParse(link) || link.startsWith('/'));
		const url = isLink && URL.canParse(link, origin) ? new URL(link, origin) : undefined;
		return url?.origin === origin ? url : new URL(otherwise);
	};
	return {
		status: own(answer.status_url, `${built.href}/status`),
		result: own(answer.response_url, built.href),
		cancel: own(answer.cancel_url, `${built.href}/cancel`),
	};
}

/** One read of a request's status. */
export async function readStatus(api: RouterApi, url: URL, { signal }: CallOptions): Promise<RouterRequest> {
	return await requestOf(api, await api.send({ method: 'GET', url, signal, totalMs: api.limits.requestMs }));
}

export async function requestOf(api: RouterApi, response: HttpResponse): Promise<RouterRequest> {
	return await api.decoded(response, (json) => decodeRequest(json, response));
}

export interface ResultOptions extends CallOptions {
	/** For a result that is held whole; as long as a run may hold its connection, when absent. */
	wholeMs?: () => number;
}

/** One read of a request's result. @returns undefined while there is none. @throws ApiError by the bucket of its end. */
export async function readResult(
	api: RouterApi,
	url: URL,
	key: string | null,
	{ signal, wholeMs }: ResultOptions,
): Promise<RouterRun | undefined> {
	const { requestMs, downloadIdleMs, holdMs } = api.limits;
	const response = await api.send({
		...resultRequest(url),
		signal,
		answerMs: requestMs,
		idleMs: downloadIdleMs,
		wholeMs: wholeMs ?? holdMs,
	});
	if (response.status !== 202) return await runOf(response, key);
	await response.discard();
	return undefined;
}

/** Whether reading a result again may bring another answer. */
export const isPassingTrouble = (error: unknown): boolean => isTransient(error) && leavesItOpen(error);

/**
 * The result of a request that ended badly: one may be stored, and charged, all the same.
 * @param budgetMs for all attempts; never more than any read gets.
 * @throws ApiError for its end; NothingCameError where that is certain.
 */
export async function readStored(
	api: RouterApi,
	url: URL,
	key: string | null,
	request: RouterRequest,
	options: ResultOptions,
	budgetMs = Infinity,
): Promise<RouterRun> {
	const isWorthRetrying = (error: unknown) => (isTransient(error) && !tellsTheEnd(error, request)) || isForeign404(error);
	const policy = { budgetMs: Math.min(budgetMs, api.limits.readBudgetMs), isWorthRetrying };
	const outcome = await outcomeOf(api.repeat(async () => await readResult(api, url, key, options), options, policy));
	if (!outcome.ok && outcome.error instanceof StoppedError) throw outcome.error;
	if (!outcome.ok && tellsTheEnd(outcome.error, request)) throw endByResult(outcome.error, request);
	if (!outcome.ok || outcome.value === undefined) throw endByStatus(request);
	const { facts, output } = outcome.value;
	return { facts: { ...facts, error_type: request.error_type ?? undefined }, output };
}

/** Asks once for a request's end. That it has ended already is an answer too: 409, or 400 in older texts. */
export async function sendCancel(api: RouterApi, url: URL, { signal }: CallOptions): Promise<{ status: string } & RouterFacts> {
	const response = await api.exchange({ method: 'PUT', url, signal, totalMs: api.limits.requestMs });
	if (!response.ok && response.status !== 409 && response.status !== 400) throw await api.refusalOf(response);
	const read = await readBody(response);
	const body: Told<Router['CancelAnswer']> = read.ok && isRecord(read.value) ? read.value : {};
	const status = textOr(body.status, response.ok ? 'CANCELLATION_REQUESTED' : undefined);
	if (status === undefined) throw routerRefusalOfRead(response, read);
	return { ...answerFacts(response), status };
}

/** @see ModelRouter.requestStatus */
export async function requestStatus(api: RouterApi, address: RouterRequestAddress, options: CallOptions = {}): Promise<RouterRequest> {
	return await api.repeat(async () => await readStatus(api, (await linksOf(api, address, {}, options)).status, options), options);
}

/** @see ModelRouter.requestResult */
export async function requestResult(
	api: RouterApi,
	address: RouterRequestAddress,
	{ request, ...options }: CallOptions & { request?: RouterRequest } = {},
): Promise<RouterRun | undefined> {
	if (request !== undefined && request.error_type !== null) {
		return await readStored(api, (await linksOf(api, address, {}, options)).result, null, request, options);
	}
	const attempt = async () => await readResult(api, (await linksOf(api, address, {}, options)).result, null, options);
	return await api.repeat(attempt, options, { isWorthRetrying: isPassingTrouble });
}

/** @see ModelRouter.cancelRequest */
export async function cancelRequest(
	api: RouterApi,
	address: RouterRequestAddress,
	options: CallOptions = {},
): Promise<{ status: string } & RouterFacts> {
	return await api.repeat(async () => await sendCancel(api, (await linksOf(api, address, {}, options)).cancel, options), options);
}
