/** What an error says about another attempt. Pure. */
import {
	AnswerError,
	ApiError,
	ConnectionError,
	type ConnectionTrouble,
	UnknownUserError,
	UnreadableAnswerError,
	UnreadableJobError,
} from '../errors/errors';

/** The v1 interface answers 429 for an inactive subscription. Waiting does not help. */
export const SUBSCRIPTION_INACTIVE = 'subscription_inactive';

/** Whether the same request may reach the server a moment later. */
const isTransientTrouble = (trouble: ConnectionTrouble): boolean => ['refused', 'dns', 'timeout', 'lost'].includes(trouble);

/** Whether no answer came, and one may come a moment later. */
export const isUnanswered = (error: unknown): error is ConnectionError =>
	error instanceof ConnectionError && isTransientTrouble(error.trouble);

/** A lost connection uses the whole time of its request, even if the service is healthy. */
export const isTimeout = (error: unknown): error is ConnectionError => error instanceof ConnectionError && error.trouble === 'timeout';

const isTransientStatus = (status: number): boolean => status === 429 || isServerFault(status);

/** 501 is a definite answer: the server does not offer this. */
const isServerFault = (status: number): boolean => status >= 500 && status !== 501;

/** Whether the same read may succeed a moment later. */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return isUnanswered(error);
	if (error instanceof UnreadableAnswerError) return error.facts.reason === 'truncated' || isTransientStatus(error.status);
	return error instanceof ApiError && isTransientStatus(error.status) && error.code !== SUBSCRIPTION_INACTIVE;
}

/**
 * Whether this is a 404 that does not come from the service. Gateways answer 404 while the server behind them restarts.
 * If nothing else has come from this address, the address is more likely wrong.
 */
export const isGateway404 = (error: unknown): boolean => error instanceof UnreadableAnswerError && error.status === 404;

/**
 * Whether the error may be over later without a change by the user, so that work without an end tries again soon. A
 * certificate may be renewed at any moment. A wrong key lasts, and so does a web page instead of a list.
 */
export function mayPass(error: unknown): boolean {
	if (error instanceof UnreadableJobError) return mayPass(error.cause);
	return isTransient(error) || isGateway404(error) || (error instanceof ConnectionError && error.trouble === 'tls');
}

/**
 * Whether the answer about a known job comes from something in front of the service: a 404, or a page or text with a status of
 * success. The service behind it may return.
 */
export const isGatewayAnswer = (error: unknown): boolean =>
	isGateway404(error) ||
	(error instanceof UnreadableAnswerError && error.status < 300 && ['html', 'not_json'].includes(error.facts.reason));

/** Whether the failed read shows that the service works: it asks for slower requests. */
export const isWorkingService = (error: unknown): boolean => error instanceof ApiError && error.status === 429;

/** Whether it is certain that the request had no effect, and it may succeed later. Any method is then safe to repeat. */
export function hasNoEffect(error: unknown): boolean {
	if (error instanceof ConnectionError) return isTransient(error) && !error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status === 429;
	return error instanceof ApiError && error.status === 429 && error.code !== SUBSCRIPTION_INACTIVE;
}

/**
 * Whether the service may have accepted a submission despite this error: no response, half a response, or a failure on
 * the way back.
 */
export function mayHaveMadeJob(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (error instanceof UnreadableAnswerError) return error.status < 300 || error.status >= 500;
	return error instanceof ApiError && isServerFault(error.status);
}

/** Whether this server refuses for a reason that lasts, for example a wrong key. Another server may accept the same request. */
export const isRefusal = (error: unknown): boolean =>
	!isTransient(error) && [AnswerError, ConnectionError, UnknownUserError].some((kind) => error instanceof kind);

/** The pause in milliseconds that the service asked for. */
export function retryAfterOf(error: unknown): number | undefined {
	return error instanceof AnswerError ? error.retryAfterMs : undefined;
}
