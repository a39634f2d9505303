import { resolveLink } from '../requests/address';
import { recordOf, textOr, type Unchecked } from '../json/decode';
import { ApiError, type ApiErrorFacts, NoResultError, StoppedError } from '../errors/errors';
import type { Router } from '../generated/router';
import { pathSegment } from '../text/identifiers';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import type { HttpResponse } from '../transport/response';
import { isGateway404, isTransient } from '../contact/failures';
import type { RouterApi } from './api';
import { modelPath } from './catalog';
import { decodeRequest, readRouterFacts } from './decode';
import { readBody, toBucket, toRouterError } from './errorResponse';
import { isRunError, leavesRunUnconfirmed } from './retryTable';
import { readRun, toResultRequest } from './run';
import type { RouterFacts, RouterRequest, RouterRequestAddress, RouterRun } from './types';

/** The addresses of one queued request. */
export interface RequestLinks {
	status: URL;
	result: URL;
	cancel: URL;
}

/**
 * Returns the links of the response if they are on the router's origin, and otherwise builds them. The credential goes
 * to no other origin.
 */
export async function resolveRequestLinks(
	api: RouterApi,
	{ model, id }: RouterRequestAddress,
	answer: Unchecked<Router['RequestStatus']>,
	options: CallOptions,
): Promise<RequestLinks> {
	const path = `${modelPath(model)}/requests/${pathSegment(id, 'router', 'request_not_found')}`;
	const built = await api.route(path, options);
	const { address } = api;
	const root = await api.prefix.get(options.signal);
	const toOwnUrl = (link: unknown, otherwise: string): URL => {
		const isLink = typeof link === 'string' && (URL.canParse(link) || link.startsWith('/'));
		const url = isLink ? resolveLink(link, address.origin, { address, root }) : undefined;
		return url?.origin === address.origin ? url : new URL(otherwise);
	};
	return {
		status: toOwnUrl(answer.status_url, `${built.href}/status`),
		result: toOwnUrl(answer.response_url, built.href),
		cancel: toOwnUrl(answer.cancel_url, `${built.href}/cancel`),
	};
}

/** Builds the links of a request that only its address identifies. */
export const buildRequestLinks = async (api: RouterApi, address: RouterRequestAddress, options: CallOptions): Promise<RequestLinks> =>
	await resolveRequestLinks(api, address, {}, options);

/** Reads the status of a request once. */
export async function readStatus(api: RouterApi, url: URL, { signal }: CallOptions): Promise<RouterRequest> {
	return await readRequest(api, await api.send({ method: 'GET', url, signal, totalMs: api.limits.requestMs }));
}

export async function readRequest(api: RouterApi, response: HttpResponse): Promise<RouterRequest> {
	return await api.decodeResponse(response, (json) => decodeRequest(json, response));
}

export interface ResultOptions extends CallOptions {
	/** The time for a result that is read in full. Default: as long as a run may keep its connection. */
	wholeMs?: () => number;
}

/**
 * Reads the result of a request once.
 * @returns undefined if there is none yet.
 * @throws ApiError with the bucket of its end.
 */
export async function readResult(
	api: RouterApi,
	url: URL,
	key: string | null,
	{ signal, wholeMs }: ResultOptions,
): Promise<RouterRun | undefined> {
	const { requestMs, downloadIdleMs, holdMs } = api.limits;
	const response = await api.send({
		...toResultRequest(url),
		signal,
		answerMs: requestMs,
		idleMs: downloadIdleMs,
		wholeMs: wholeMs ?? holdMs,
	});
	if (response.status !== 202) return await readRun(response, key);
	await response.discard();
	return undefined;
}

/** Whether another read of a result may succeed. */
export const isTemporaryReadError = (error: unknown): boolean => isTransient(error) && leavesRunUnconfirmed(error);

/**
 * Reads the result of a failed request. A result may be stored, and charged, despite the failure.
 * @param budgetMs for all attempts, at most the read budget.
 * @throws ApiError for its end; NoResultError if it is certain that there is no result.
 */
export async function readStoredResult(
	api: RouterApi,
	url: URL,
	key: string | null,
	request: RouterRequest,
	options: ResultOptions,
	budgetMs = Infinity,
): Promise<RouterRun> {
	const isWorthRetrying = (error: unknown) => (isTransient(error) && !isRequestError(error, request)) || isGateway404(error);
	const policy = { budgetMs: Math.min(budgetMs, api.limits.readBudgetMs), isWorthRetrying };
	const outcome = await outcomeOf(api.repeat(async () => await readResult(api, url, key, options), options, policy));
	if (!outcome.ok && outcome.error instanceof StoppedError) throw outcome.error;
	if (!outcome.ok && isRequestError(outcome.error, request)) throw toResultError(outcome.error, request);
	if (!outcome.ok || outcome.value === undefined) throw toStatusError(request);
	const { facts, output } = outcome.value;
	return { facts: { ...facts, error_type: request.error_type ?? undefined }, output };
}

/**
 * Cancels a request once. If it has finished already, the router answers 409, or 400 in older documents; that is a
 * normal answer.
 */
export async function sendCancel(api: RouterApi, url: URL, { signal }: CallOptions): Promise<{ status: string } & RouterFacts> {
	const response = await api.exchange({ method: 'PUT', url, signal, totalMs: api.limits.requestMs });
	if (!response.ok && response.status !== 409 && response.status !== 400) throw await api.readError(response);
	const read = await readBody(response);
	const body = recordOf<Router['CancelAnswer']>(read.ok ? read.value : undefined);
	const status = textOr(body.status, response.ok ? 'CANCELLATION_REQUESTED' : undefined);
	if (status === undefined) throw toRouterError(response, read);
	return { ...readRouterFacts(response), status };
}

/** Returns the status of a request. */
export async function requestStatus(api: RouterApi, address: RouterRequestAddress, options: CallOptions = {}): Promise<RouterRequest> {
	return await api.repeat(async () => await readStatus(api, (await buildRequestLinks(api, address, options)).status, options), options);
}

/**
 * Returns the result; undefined if the request is not completed.
 * @param options.request the latest status, which distinguishes a failed request from a failed read.
 * @throws ApiError with its bucket if it failed, was canceled or is too old.
 */
export async function requestResult(
	api: RouterApi,
	address: RouterRequestAddress,
	{ request, ...options }: CallOptions & { request?: RouterRequest } = {},
): Promise<RouterRun | undefined> {
	if (request !== undefined && request.error_type !== null) {
		return await readStoredResult(api, (await buildRequestLinks(api, address, options)).result, null, request, options);
	}
	const attempt = async () => await readResult(api, (await buildRequestLinks(api, address, options)).result, null, options);
	return await api.repeat(attempt, options, { isWorthRetrying: isTemporaryReadError });
}

/**
 * Cancels a request. Repeatable.
 * @returns the router's status, for example `CANCELLATION_REQUESTED` or `ALREADY_COMPLETED`.
 */
export async function cancelRequest(
	api: RouterApi,
	address: RouterRequestAddress,
	options: CallOptions = {},
): Promise<{ status: string } & RouterFacts> {
	return await api.repeat(async () => await sendCancel(api, (await buildRequestLinks(api, address, options)).cancel, options), options);
}

/**
 * Errors that prove that the provider made nothing. Others do not prove it (a time limit, a failure of the router),
 * rejected content may have been charged, and a cancel was intended.
 */
const NO_RESULT_CODES: ReadonlySet<string> = new Set([
	'provider_error',
	'queue_timeout',
	'invalid_input',
	'insufficient_credits',
	'concurrency_limit_exceeded',
	'rate_limited',
	'queue_backlog_full',
	'not_enabled',
]);

const bucketIn = ({ error_type: errorType }: RouterRequest): string => toBucket(errorType ?? '');

/** Whether the error of a result read says how the request ended, rather than that the read failed. */
const isRequestError = (error: unknown, request: RouterRequest): error is ApiError =>
	error instanceof ApiError && (isRunError(error) || error.code === bucketIn(request));

/** Returns the error from the result route, which says more than the status. */
function toResultError(error: ApiError, request: RouterRequest): ApiError {
	return error.code === bucketIn(request) && NO_RESULT_CODES.has(error.code) ? new NoResultError(factsIn(error)) : error;
}

/** Returns the error by the status alone. A result may be stored despite it. */
function toStatusError({ error_type: errorType, request_id: requestId, ...request }: RouterRequest): ApiError {
	const code = toBucket(errorType ?? '');
	const details = { ...request, ...(code !== errorType && { error_type: errorType }) };
	return new ApiError({
		interface: 'router',
		code,
		status: 200,
		message: `The request ended with ${errorType}`,
		details,
		requestId: requestId ?? undefined,
	});
}

const factsIn = ({ interface: service, code, status, message, details, retryAfterMs, requestId }: ApiError): ApiErrorFacts => ({
	interface: service,
	code,
	status,
	message,
	details,
	retryAfterMs,
	requestId,
});
