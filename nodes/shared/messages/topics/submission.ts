import { defineMessages } from '../words';

const SENT_BEFORE = 'n8n has lost the data of an earlier execution, which may have submitted this item';
const NEW_EXECUTION = 'To run the item anyway, start a new execution.';
const SECOND_JOB = 'because a second job would also be billed';

const keyLine = (key: string | undefined): string | undefined => key && `Its idempotency key is ${key}.`;

/** The failure of a service that answered a submission. */
export interface ServerFault {
	status: number;
	/** The text of the service, with a colon in front of it. Empty for a gateway's page. */
	reason: string;
}

/** What happened to a submission whose job was not found. @param fault undefined if no response arrived. */
const lossText = (fault: ServerFault | undefined): string =>
	fault === undefined
		? 'This item may have been submitted, but the response was lost and no job was found for it'
		: `This item may have been submitted, but the server answered with HTTP ${fault.status} and no job was found for it${fault.reason}`;

/** Submissions whose outcome is not known. */
export const submission = defineMessages({
	/** The job of an earlier try is on another interface than the current one. */
	JOB_ON_OTHER_INTERFACE: (jobId: string, sentOver: string, nowFound: string) => [
		`Job ${jobId} was submitted over the interface ${sentOver}, but the server now uses the interface ${nowFound}, which does not have this job`,
		`It was not submitted again. Make ${sentOver} available again and retry this execution, or read the job with Interface set to ${sentOver}.`,
	],
	SUBMITTED_OVER_OTHER_INTERFACE: (sentOver: string, nowFound: string, key: string | undefined) => [
		`This item may have been submitted over the interface ${sentOver}, but the response was lost, and the server now uses the interface ${nowFound}`,
		`It was not submitted over ${nowFound}, because that would create a second job. Make ${sentOver} available again and retry this execution, or look for the job with Interface set to ${sentOver}.`,
		keyLine(key),
	],
	/** @param name of the job, for example `its job ID is …`. */
	EARLIER_JOB_NOT_SHOWN: (name: string) => [
		`${SENT_BEFORE}: the server has a job for this item, but does not return its workflow`,
		`The node cannot check that it is the right job. Nothing was sent, ${SECOND_JOB}. Look for the job in the server: ${name}.`,
		NEW_EXECUTION,
	],
	/** @param name of the job, for example `its job ID is …`. */
	EARLIER_KEY_IN_USE: (name: string) => [
		`${SENT_BEFORE}: the idempotency key is in use, but no job with this workflow was found`,
		`It was not submitted with a different key, ${SECOND_JOB}. Look for the job on the server: ${name}.`,
		'The search also finds no job if the workflow has changed, for example by an expression with a random value. For random values, use the option Seeds of Comfy Run Workflow: they stay the same in every retry.',
		NEW_EXECUTION,
	],
	EARLIER_JOB_UNKNOWN: (key: string | undefined) => [
		`${SENT_BEFORE}: the server does not report whether a job exists`,
		`Nothing was sent, ${SECOND_JOB}. Look for the job on the server, or retry this execution to check again.`,
		keyLine(key),
		NEW_EXECUTION,
	],
	/** The keys of a retry cannot be derived. */
	START_TIME_LOST: () => [
		'An earlier execution may have submitted this item, and n8n has lost the start time of that execution',
		`Nothing was sent, ${SECOND_JOB}. Look for the job on the server, or with Comfy Manage Jobs and Queue > Job > Get Many. Comfy Download Outputs gets its files by the job ID. n8n 2.20 and later keep the data that a retry needs; for sub-workflows, only if n8n saves their executions. ${NEW_EXECUTION}`,
	],
	/** The proxy has accepted the key, and does not report whether ComfyUI has the job. */
	SUBMITTED_BEHIND_PROXY: (key: string | undefined) => [
		'This item may have been submitted: the API proxy accepted it, but ComfyUI did not respond',
		'Start ComfyUI, and check whether it has the job. If it does not, start a new execution to submit the item again. A retry of this execution does not submit a second job.',
		keyLine(key),
	],
	/**
	 * A proxy may deliver a lost submission late, and ComfyUI runs each submission that arrives.
	 * @param unanswered the message if the server did not respond at all.
	 * @param key if it is not the ID of the job.
	 */
	SUBMITTED_TO_COMFYUI: (fault: ServerFault | undefined, unanswered: string | undefined, jobId: string, key: string | undefined) => [
		lossText(fault),
		unanswered,
		`It was not submitted again, because ComfyUI would run it twice. Look for job ${jobId} in the queue and the history of ComfyUI (an older ComfyUI gives the job a different id). If you retry this execution, the node looks for the job and sends nothing.`,
		'If the job is not in ComfyUI and does not appear later, start a new execution to submit the item again.',
		keyLine(key),
	],
	SUBMITTED_WITHOUT_KEY: (fault: ServerFault | undefined, unanswered: string | undefined) => [
		lossText(fault),
		unanswered,
		`It was not submitted again, ${SECOND_JOB}. Look for the job on the server before you run this item again. If you retry this execution, the node looks for the job and sends nothing.`,
	],
	SUBMITTED_WITH_KEY: (fault: ServerFault | undefined, unanswered: string | undefined, key: string) => [
		lossText(fault),
		unanswered,
		`It was not submitted again with a different key, ${SECOND_JOB}. Look for the job on the server: its idempotency key is ${key}. If you retry this execution, the node sends the same key again.`,
	],
	CUSTOM_KEY_NOT_VALID: () => [
		'Custom Idempotency Key is not valid',
		'Nothing was sent. Use 1 to 255 printable ASCII characters, for example an order number.',
	],
	CUSTOM_KEY_TWICE: (first: number, second: number) => [
		`Items ${first} and ${second} have the same Custom Idempotency Key`,
		'Nothing was sent. Use an expression with a different result for each item, for example with {{ $json.id }} or {{ $itemIndex }}.',
	],
	/** A hint. */
	NO_QUEUE_FRONT: () => [
		'Queue Position has no effect, because this service has no front of the queue',
		'Its jobs wait behind those that are already queued. Set Queue Position to Normal, or run the workflow on your own ComfyUI.',
	],
});

/** How to find a job. */
export const nameOfJob = {
	byId: (jobId: string | undefined): string => `its job ID is ${jobId}`,
	byKey: (key: string): string => `its idempotency key is ${key}`,
};
