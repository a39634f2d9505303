import { ApiError, type ApiErrorFacts, NothingCameError } from '../errors';
import { bucketOf } from './buckets';
import { tellsOfTheRun } from './retryTable';
import type { RouterRequest } from './types';

/**
 * Ends before a provider has made anything, or by its own word without. Of others (a time limit, a failure of the
 * router itself) it is not certain that nothing was made; refused content may have been charged; who cancels means it.
 */
const NOTHING_CAME: ReadonlySet<string> = new Set([
	'provider_error',
	'queue_timeout',
	'invalid_input',
	'insufficient_credits',
	'concurrency_limit_exceeded',
	'rate_limited',
	'queue_backlog_full',
	'not_enabled',
]);

const codeOf = ({ error_type: word }: RouterRequest): string => bucketOf(word ?? '');

/** Whether the read of a result tells how the request ended, and is not in trouble itself. */
export const tellsTheEnd = (error: unknown, request: RouterRequest): error is ApiError =>
	error instanceof ApiError && (tellsOfTheRun(error) || error.code === codeOf(request));

/** What its result said when it was read: that is more than its status says. */
export function endByResult(error: ApiError, request: RouterRequest): ApiError {
	return error.code === codeOf(request) && NOTHING_CAME.has(error.code) ? new NothingCameError(factsOf(error)) : error;
}

/** By its status alone: a result may be stored all the same. */
export function endByStatus({ error_type: word, request_id: requestId, ...request }: RouterRequest): ApiError {
	const code = bucketOf(word ?? '');
	const details = { ...request, ...(code !== word && { error_type: word }) };
	return new ApiError({
		interface: 'router',
		code,
		status: 200,
		message: `The request ended with ${word}`,
		details,
		requestId: requestId ?? undefined,
	});
}

const factsOf = ({ interface: service, code, status, message, details, retryAfterMs, requestId }: ApiError): ApiErrorFacts => ({
	interface: service,
	code,
	status,
	message,
	details,
	retryAfterMs,
	requestId,
});
