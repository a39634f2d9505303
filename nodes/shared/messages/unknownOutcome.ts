import { ApiError, type InterfaceName, UnknownOutcomeError } from '../../../client';
import { ItemFault } from '../itemFault';
import { COLLECT_LATER, NEW_RUN, routerRemarks } from './tables/router';
import { type Words, words } from './words';

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

const NAMES: Record<InterfaceName, string> = { v2: 'v2', v1: 'v1', engine: 'Engine' };

/** Returns the fault for a job of an earlier try that another interface than the current one has. */
export const jobElsewhere = (jobId: string, sentOver: InterfaceName, nowFound: InterfaceName): ItemFault =>
	new ItemFault(
		`Job ${jobId} was submitted over the interface ${NAMES[sentOver]}, and now the interface ${NAMES[nowFound]} answers, which does not know it`,
		`It was not submitted again. Make sure that ${NAMES[sentOver]} is reachable again, then retry this execution, or read the job with Interface set to ${NAMES[sentOver]}.`,
	);

const otherInterface = ({ sentOver, nowFound, idempotencyKey }: OtherInterfaceError): Words =>
	words(
		`This item may have been submitted over the interface ${NAMES[sentOver]}, but the answer was lost, and now the interface ${NAMES[nowFound]} answers`,
		`It was not sent over ${NAMES[nowFound]}, because that would be a second job. Make sure that ${NAMES[sentOver]} is reachable again and retry this execution, or look for the job there.`,
		idempotencyKey && `Its idempotency key is ${idempotencyKey}.`,
	);

const LOST = 'This item may have been submitted, but the answer was lost and no job could be found for it';

const SENT_BEFORE = 'This item may have been submitted before, by an execution that this one retries and that n8n has lost';

const NEW_EXECUTION = 'To run it anew all the same, start a new execution.';

/** n8n has lost the execution, so it is unknown whether it has submitted the item. */
function sentBefore({ before, idempotencyKey }: UnknownOutcomeError): Words {
	if (before === 'key_in_use') {
		return words(
			`${SENT_BEFORE}: its idempotency key is in use, and no job of this workflow could be found`,
			`It was not sent under another key, because a second job would be billed too. Look for the job in the service; its idempotency key is ${idempotencyKey}.`,
			'It is not found either if the workflow was another one then: when an expression makes a part of it new at each evaluation, use the option Seeds of Comfy Run Workflow for random values, because these stay the same in every retry.',
			NEW_EXECUTION,
		);
	}
	return words(
		`${SENT_BEFORE}, and the service does not tell whether it was`,
		'Nothing was sent now, because a second job would be billed too. Look for the job in the service. Retrying this execution asks again.',
		idempotencyKey && `Its idempotency key is ${idempotencyKey}.`,
		NEW_EXECUTION,
	);
}

/** Returns the fault for a retry whose keys cannot be derived, because n8n has lost the start of the execution. */
export const startIsLost = (): ItemFault =>
	new ItemFault(
		'This item may have been submitted before: n8n has lost when the execution that this one retries began',
		`Nothing was sent now, because a second job would be billed too. Look for the job in the service, or by Comfy Manage Jobs and Queue > Job > Get Many; Comfy Download Outputs gets its files by its job ID. n8n keeps what a retry needs from version 2.20 on, and of sub-workflows as long as it saves their executions. ${NEW_EXECUTION}`,
	);

/** A proxy may deliver a lost submission late, and an engine runs each submission that arrives. */
const lostOnEngine = (jobId: string, key: string | undefined): Array<string | undefined> => [
	`It was not sent again, because ComfyUI would run it twice. Look for job ${jobId} in the queue and history of ComfyUI (an older one gives it another id): retrying this execution looks for it again, and sends nothing.`,
	'If it is not there and will not come, start a new execution to submit it anew.',
	key !== undefined && key !== jobId ? `Its idempotency key is ${key}` : undefined,
];

/** The proxy has accepted the key, and does not report whether ComfyUI has the job. */
const lostBehindProxy = (key: string | undefined): Words =>
	words(
		'This item may have been submitted: the server has taken it, but the ComfyUI behind it did not answer',
		'Start ComfyUI, and look whether it has the job. If it has not, start a new execution to submit it anew: a retry of this one sends no second job.',
		key && `Its idempotency key is ${key}.`,
	);

/**
 * Returns the words for a submission whose outcome is unknown.
 * @param unanswered the message if the server did not answer at all.
 */
export function unknownOutcomeWords(cause: UnknownOutcomeError, unanswered?: string): Words {
	if (cause instanceof OtherInterfaceError) return otherInterface(cause);
	if (cause.before !== undefined) return sentBefore(cause);
	if (cause.cause instanceof ApiError && cause.cause.code === 'upstream_unreachable') return lostBehindProxy(cause.idempotencyKey);
	if (cause.jobId !== undefined) return words(LOST, unanswered, ...lostOnEngine(cause.jobId, cause.idempotencyKey));
	return words(
		LOST,
		unanswered,
		cause.idempotencyKey === undefined
			? 'It was not sent again, because a second job would be billed too. Look for the job in the service before you run this item again. Retrying this execution looks for it too, and sends nothing.'
			: `It was not sent again under another key, because a second job would be billed too. Look for the job in the service; its idempotency key is ${cause.idempotencyKey}. Retrying this execution asks again with the same key.`,
	);
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

const keyTakenWords = ({ idempotencyKey, cause }: KeyTakenError): Words =>
	words(
		'An earlier try of this item may have run with another input, and may be billed',
		`n8n lost that try, so the item was sent again under the same idempotency key. The router answered: ${cause.message}`,
		'Nothing was run again, and no other key was used. If the flow makes the input anew each time, by Math.random() or $now for instance, or the nodes before this one now give other data, give the item the input of the earlier try and retry this execution within 24 hours: that brings its result.',
		'For seeds, set Seeds under Options to Random For Each Item: they stay the same in every retry. The router answers so, too, where it cannot give a result again.',
		NEW_RUN,
		`Idempotency key: ${idempotencyKey}`,
		cause.requestId && `Request id: ${cause.requestId}`,
	);

/** Returns what happened, and what to do. */
export const inputIsGone = (key: string): [string, string] => [
	'The input of this item has changed since it was sent, and what was sent was too large to be kept',
	`The model may have run with it, and may be billed: so nothing was sent now. Give the item the same input as before (a fixed seed, for instance) and retry this execution to collect the result; for a new run, which is billed, start a new execution.\nIdempotency key: ${key}`,
];

export const otherInputHint = (itemIndex: number): string =>
	`Item ${itemIndex}: the result belongs to what an earlier try has sent, which is in sent_input. The item’s input has changed since; it was not sent, so that nothing is billed twice.`;

/** Returns the words for a run that may exist and may be billed. @param last the words for the error of the last attempt. */
export function lostRunWords(lost: UnknownOutcomeError, last: Words | undefined): Words {
	if (lost instanceof KeyTakenError) return keyTakenWords(lost);
	const { idempotencyKey, cause } = lost;
	return words(
		last === undefined ? 'The result did not come within Max Wait (Minutes)' : `The result did not come; the last attempt: ${last.message}`,
		`The model may have run, and may be billed. ${COLLECT_LATER}`,
		...(cause instanceof ApiError ? routerRemarks(cause) : []),
		`Idempotency key: ${idempotencyKey}`,
		...(last?.advice.split('\n').filter((line) => line.startsWith('Request id:')) ?? []),
	);
}
