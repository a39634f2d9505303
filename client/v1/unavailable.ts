import { ApiError, UnreadableAnswerError } from '../errors';

/** Whether a route is not there, or does not know what it was asked for: deployments differ in what they offer. */
export const isUnavailable = (error: unknown): error is ApiError | UnreadableAnswerError => [404, 405, 501].includes(statusOf(error));

/** @param error a refusal that says so. */
export function notImplemented(message: string, error?: ApiError | UnreadableAnswerError): ApiError {
	const requestId = error instanceof ApiError ? error.requestId : error?.facts.requestId;
	return new ApiError({ interface: 'v1', code: 'not_implemented', status: error ? statusOf(error) : 501, requestId, message });
}

function statusOf(error: unknown): number {
	if (error instanceof ApiError) return error.status;
	return error instanceof UnreadableAnswerError ? error.facts.status : NaN;
}
