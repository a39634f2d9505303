import { ApiError, type InterfaceName, UnknownOutcomeError, UnreadableAnswerError } from '../../../client';
import { ItemFault } from '../itemFault';
import { COLLECT_LATER, NEW_RUN, routerRemarks } from './tables/router';
import { shorten, type Words, words } from './words';

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
		`Job ${jobId} was submitted over the interface ${NAMES[sentOver]}, but the server now uses the interface ${NAMES[nowFound]}, which does not have this job`,
		`It was not submitted again. Make ${NAMES[sentOver]} available again and retry this execution, or read the job with Interface set to ${NAMES[sentOver]}.`,
	);

const otherInterface = ({ sentOver, nowFound, idempotencyKey }: OtherInterfaceError): Words =>
	words(
		`This item may have been submitted over the interface ${NAMES[sentOver]}, but the response was lost, and the server now uses the interface ${NAMES[nowFound]}`,
		`It was not submitted over ${NAMES[nowFound]}, because that would create a second job. Make ${NAMES[sentOver]} available again and retry this execution, or look for the job with Interface set to ${NAMES[sentOver]}.`,
		idempotencyKey && `Its idempotency key is ${idempotencyKey}.`,
	);

const LOST = 'This item may have been submitted, but the response was lost and no job was found for it';

/** The service answered a submission with a failure of its own. */
const isServerFault = (cause: unknown): cause is ApiError | UnreadableAnswerError =>
	(cause instanceof ApiError || cause instanceof UnreadableAnswerError) && cause.status >= 500;

const LONGEST_REASON = 300;

/** Returns what happened to a submission whose job was not found. */
const describeLoss = ({ cause }: UnknownOutcomeError): string =>
	isServerFault(cause)
		? `This item may have been submitted, but the server answered with HTTP ${cause.status} and no job was found for it${reasonOf(cause)}`
		: LOST;

/** A gateway's page is no reason. */
const reasonOf = (cause: ApiError | UnreadableAnswerError): string =>
	cause instanceof ApiError ? `: ${shorten(cause.message, LONGEST_REASON)}` : '';

const SENT_BEFORE = 'An earlier execution may have submitted this item, and n8n has lost the data of that execution';

const NEW_EXECUTION = 'To run the item anyway, start a new execution.';

/** n8n has lost the execution, so it is unknown whether it has submitted the item. */
function sentBefore({ before, idempotencyKey, jobId }: UnknownOutcomeError): Words {
	const name = idempotencyKey === undefined ? `its job ID is ${jobId}` : `its idempotency key is ${idempotencyKey}`;
	if (before === 'not_shown') {
		return words(
			`${SENT_BEFORE}: there is a job for this item, but the server does not return its workflow, so the node cannot check that it is the right one`,
			`Nothing was sent, because a second job would also be billed. Look for the job in the server: ${name}.`,
			NEW_EXECUTION,
		);
	}
	if (before === 'key_in_use') {
		return words(
			`${SENT_BEFORE}: the idempotency key is in use, but no job with this workflow was found`,
			`It was not submitted with a different key, because a second job would also be billed. Look for the job in the service: ${name}.`,
			'The search also finds no job if the workflow has changed, for example by an expression with a random value. For random values, use the option Seeds of Comfy Run Workflow: they stay the same in every retry.',
			NEW_EXECUTION,
		);
	}
	return words(
		`${SENT_BEFORE}: the service does not report whether a job exists`,
		'Nothing was sent, because a second job would also be billed. Look for the job in the service, or retry this execution to check again.',
		idempotencyKey && `Its idempotency key is ${idempotencyKey}.`,
		NEW_EXECUTION,
	);
}

/** Returns the fault for a retry whose keys cannot be derived, because n8n has lost the start time of the execution. */
export const startIsLost = (): ItemFault =>
	new ItemFault(
		'An earlier execution may have submitted this item, and n8n has lost the start time of that execution',
		`Nothing was sent, because a second job would also be billed. Look for the job in the service, or with Comfy Manage Jobs and Queue > Job > Get Many. Comfy Download Outputs gets its files by the job ID. n8n 2.20 and later keep the data that a retry needs; for sub-workflows, only if n8n saves their executions. ${NEW_EXECUTION}`,
	);

/** A proxy may deliver a lost submission late, and an engine runs each submission that arrives. */
const lostOnEngine = (jobId: string, key: string | undefined): Array<string | undefined> => [
	`It was not submitted again, because ComfyUI would run it twice. Look for job ${jobId} in the queue and the history of ComfyUI (an older ComfyUI gives the job a different id). If you retry this execution, the node looks for the job and sends nothing.`,
	'If the job is not in ComfyUI and does not appear later, start a new execution to submit the item again.',
	key !== undefined && key !== jobId ? `Its idempotency key is ${key}` : undefined,
];

/** The proxy has accepted the key, and does not report whether ComfyUI has the job. */
const lostBehindProxy = (key: string | undefined): Words =>
	words(
		'This item may have been submitted: the API proxy accepted it, but ComfyUI did not respond',
		'Start ComfyUI, and check whether it has the job. If it does not, start a new execution to submit the item again. A retry of this execution does not submit a second job.',
		key && `Its idempotency key is ${key}.`,
	);

/**
 * Returns the words for a submission whose outcome is unknown.
 * @param unanswered the message if the server did not respond at all.
 */
export function unknownOutcomeWords(cause: UnknownOutcomeError, unanswered?: string): Words {
	if (cause instanceof OtherInterfaceError) return otherInterface(cause);
	if (cause.before !== undefined) return sentBefore(cause);
	if (cause.cause instanceof ApiError && cause.cause.code === 'upstream_unreachable') return lostBehindProxy(cause.idempotencyKey);
	if (cause.jobId !== undefined) return words(describeLoss(cause), unanswered, ...lostOnEngine(cause.jobId, cause.idempotencyKey));
	return words(
		describeLoss(cause),
		unanswered,
		cause.idempotencyKey === undefined
			? 'It was not submitted again, because a second job would also be billed. Look for the job in the service before you run this item again. If you retry this execution, the node looks for the job and sends nothing.'
			: `It was not submitted again with a different key, because a second job would also be billed. Look for the job in the service: its idempotency key is ${cause.idempotencyKey}. If you retry this execution, the node sends the same key again.`,
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
		'An earlier try of this item may have run with a different input, and may be billed',
		`n8n lost the data of that try, so the node sent the item again with the same idempotency key. The router returned: ${cause.message}`,
		'Nothing was run again, and no different key was used. To get the result of the earlier try, give the item the same input as in that try, and retry this execution within 24 hours. Expressions such as Math.random() or $now, and changed data from earlier nodes, change the input.',
		'For random seeds, set Seeds under Options to Random For Each Item: they stay the same in every retry. The router also returns this error if it cannot return a result again.',
		NEW_RUN,
		`Idempotency key: ${idempotencyKey}`,
		cause.requestId && `Request ID: ${cause.requestId}`,
	);

/** Returns what happened, and what to do. */
export const inputIsGone = (key: string): [string, string] => [
	'The input of this item has changed since it was sent, and the first input was too large to keep',
	`Nothing was sent, because the model may have run with the first input, and that run may be billed. To collect its result, give the item the first input again (for example with a fixed seed), and retry this execution. ${NEW_RUN}\nIdempotency key: ${key}`,
];

export const otherInputHint = (itemIndex: number): string =>
	`Item ${itemIndex}: the result belongs to the input that an earlier try sent, see sent_input. The input of the item has changed since then. The node did not send the new input, so nothing is billed twice.`;

/** Returns the words for a run that may exist and may be billed. @param last the words for the error of the last attempt. */
export function lostRunWords(lost: UnknownOutcomeError, last: Words | undefined): Words {
	if (lost instanceof KeyTakenError) return keyTakenWords(lost);
	const { idempotencyKey, cause } = lost;
	return words(
		last === undefined ? 'The result did not arrive within Max Wait (Minutes)' : `The result did not arrive. Last attempt: ${last.message}`,
		`The model may have run, and the run may be billed. ${COLLECT_LATER}`,
		...(cause instanceof ApiError ? routerRemarks(cause) : []),
		`Idempotency key: ${idempotencyKey}`,
		...(last?.advice.split('\n').filter((line) => line.startsWith('Request ID:')) ?? []),
	);
}
