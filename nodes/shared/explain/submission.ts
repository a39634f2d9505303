import { ApiError, type InterfaceName, UnknownOutcomeError, UnreadableAnswerError } from '../../../client';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import { nameOfJob, type ServerFault } from '../messages/topics/submission';
import { shorten, type Words } from '../messages/words';
import type { RetryEffect } from './jobs';

/** A submission over one interface is unconfirmed, and another interface answers now, where it would become a second job. */
export class OtherInterfaceError extends UnknownOutcomeError {
	/** Programs see the same kind of error. */
	override get name(): string {
		return UnknownOutcomeError.name;
	}

	constructor(
		key: string | null,
		readonly sentOver: InterfaceName,
		readonly nowFound: InterfaceName,
	) {
		super(key ?? undefined);
	}
}

/** An execution that n8n lost may have run the item with another input. */
export class KeyTakenError extends UnknownOutcomeError {
	/** Programs see the same kind of error. */
	override get name(): string {
		return UnknownOutcomeError.name;
	}

	constructor(
		key: string | null,
		override readonly cause: ApiError,
	) {
		super(key ?? undefined);
	}
}

/** The service does not have the job of an earlier try, and the job does not run again. */
export class MissingJobError extends ApiError {
	/** Programs see the same kind of error. */
	override get name(): string {
		return ApiError.name;
	}

	constructor(
		error: ApiError,
		readonly retryEffect: RetryEffect,
	) {
		super({ ...error, message: error.message });
		this.server = error.server;
	}
}

const NAMES: Record<InterfaceName, string> = { v2: 'v2', v1: 'v1', engine: 'Engine' };

/** Returns the fault for a job of an earlier try that another interface than the current one has. */
export const jobElsewhere = (jobId: string, sentOver: InterfaceName, nowFound: InterfaceName): ItemFault =>
	new ItemFault(messages.JOB_ON_OTHER_INTERFACE(jobId, NAMES[sentOver], NAMES[nowFound]));

/** The service answered a submission with a failure of its own. */
const isServerFault = (cause: unknown): cause is ApiError | UnreadableAnswerError =>
	(cause instanceof ApiError || cause instanceof UnreadableAnswerError) && cause.status >= 500;

const LONGEST_REASON = 300;

/** Returns the failure of the service, or undefined. A gateway's page is no reason. */
function findServerFault({ cause }: UnknownOutcomeError): ServerFault | undefined {
	if (!isServerFault(cause)) return undefined;
	return { status: cause.status, reason: cause instanceof ApiError ? `: ${shorten(cause.message, LONGEST_REASON)}` : '' };
}

/** n8n has lost the execution, so it is unknown whether it has submitted the item. */
function sentBefore({ before, idempotencyKey: key, jobId }: UnknownOutcomeError): Words {
	const name = key === undefined ? nameOfJob.byId(jobId) : nameOfJob.byKey(key);
	if (before === 'not_shown') return messages.EARLIER_JOB_NOT_SHOWN(name);
	return before === 'key_in_use' ? messages.EARLIER_KEY_IN_USE(name) : messages.EARLIER_JOB_UNKNOWN(key);
}

/**
 * Returns the words for a submission whose outcome is unknown.
 * @param unanswered the message if the server did not respond at all.
 */
export function unknownOutcomeWords(cause: UnknownOutcomeError, unanswered?: string): Words {
	const { idempotencyKey: key, jobId } = cause;
	if (cause instanceof OtherInterfaceError)
		return messages.SUBMITTED_OVER_OTHER_INTERFACE(NAMES[cause.sentOver], NAMES[cause.nowFound], key);
	if (cause.before !== undefined) return sentBefore(cause);
	if (cause.cause instanceof ApiError && cause.cause.code === 'upstream_unreachable') return messages.SUBMITTED_BEHIND_PROXY(key);
	const fault = findServerFault(cause);
	if (jobId !== undefined) return messages.SUBMITTED_TO_COMFYUI(fault, unanswered, jobId, key === jobId ? undefined : key);
	return key === undefined ? messages.SUBMITTED_WITHOUT_KEY(fault, unanswered) : messages.SUBMITTED_WITH_KEY(fault, unanswered, key);
}
