import { ApiError, type InputError, isRecord, type UnknownOutcomeError } from '../../../client';
import { messages } from '../messages/catalogue';
import { remark } from '../messages/topics/router';
import { byKind, type Words } from '../messages/words';
import type { SentenceTable } from './service';
import { KeyTakenError } from './submission';

/** Messages by error code of the model router. */
export const routerTable: SentenceTable = {
	invalid_input: (error) => (error.status === 409 ? messages.ROUTER_KEY_REJECTED(error) : messages.MODEL_INPUT_REJECTED(error)),
	idempotency_key_expired: (error) =>
		isRecord(error.details) && error.details.may_exist_since !== undefined
			? messages.EARLIER_RUN_EXPIRED(error)
			: messages.RUN_EXPIRED(error),
	content_policy_violation: messages.CONTENT_REJECTED,
	provider_error: messages.PROVIDER_ERROR,
	provider_timeout: messages.PROVIDER_TIMEOUT,
	insufficient_credits: messages.WORKSPACE_CREDITS_LOW,
	model_not_found: messages.MODEL_NOT_FOUND,
	unauthorized: messages.ROUTER_SIGN_IN_REJECTED,
	token_expired: messages.ROUTER_TOKEN_EXPIRED,
	forbidden: messages.ROUTER_FORBIDDEN,
	concurrency_limit_exceeded: messages.TOO_MANY_RUNS,
	client_disconnected: messages.RUN_CONNECTION_ENDED,
	internal_error: messages.ROUTER_ERROR,
	deadline_exceeded: messages.RUN_DEADLINE_EXCEEDED,
	estimate_not_enabled: messages.ESTIMATE_NOT_ENABLED,
	not_enabled: messages.ROUTER_NOT_ENABLED,
	service_unavailable: messages.ROUTER_NOT_AVAILABLE,
	rate_limited: messages.ROUTER_RATE_LIMITED,
	cancelled: messages.REQUEST_CANCELED,
	queue_timeout: messages.REQUEST_QUEUE_TIMEOUT,
	request_not_found: (error) => (error.status === 410 ? messages.REQUEST_EXPIRED(error) : messages.REQUEST_NOT_FOUND(error)),
	queue_backlog_full: messages.REQUEST_QUEUE_FULL,
};

/** Returns further facts of the router: its own name for an unknown error, and how much may be spent. */
export function routerRemarks({ details }: ApiError): string[] {
	if (!isRecord(details)) return [];
	const { error_type: type, upstream_detail: upstream, spend } = details;
	return [
		...(typeof type === 'string' ? [remark.errorType(type)] : []),
		...(typeof upstream === 'string' && upstream !== '' ? [remark.provider(upstream)] : []),
		...(isRecord(spend) ? [remark.spend(spend)] : []),
	];
}

/** Returns the words for a field of the model's form that cannot be sent. */
export const modelInputWords = byKind<InputError['facts'], 'fault', Words>('fault', {
	empty: messages.MODEL_FIELD_EMPTY,
	wrong_type: messages.MODEL_FIELD_WRONG_TYPE,
	not_a_choice: messages.MODEL_FIELD_NOT_A_CHOICE,
	out_of_range: messages.MODEL_FIELD_OUT_OF_RANGE,
	lost_digits: messages.MODEL_FIELD_LOST_DIGITS,
	unknown_field: messages.MODEL_FIELD_UNKNOWN,
});

/** Returns the words for a run that may exist and may be billed. @param last the words for the error of the last attempt. */
export function lostRunWords(lost: UnknownOutcomeError, last: Words | undefined): Words {
	const { idempotencyKey: key, cause } = lost;
	if (lost instanceof KeyTakenError) return messages.EARLIER_RUN_WITH_OTHER_INPUT(key, lost.cause, lost.cause.requestId);
	if (last === undefined) return messages.RUN_NOT_READY(key);
	const requestId = last.advice.split('\n').find((line) => line.startsWith('Request ID:'));
	return messages.RUN_RESULT_LOST(last.message, cause instanceof ApiError ? routerRemarks(cause) : [], key, requestId);
}
