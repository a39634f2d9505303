import { defineMessages } from '../words';

const RETRY = 'When n8n runs again, retry this execution in the list of executions';
const keyNote = (key: string | null): string => (key === null ? '' : ` Its idempotency key is ${key}.`);

const TIME_LIMIT =
	'If you did not stop it, its time limit was reached: raise Timeout Workflow in the settings of the workflow, or run fewer items at a time.';

/** Items that did not finish because n8n, or a worker of n8n, shuts down, or because the execution was stopped. */
export const stopping = defineMessages({
	SHUTDOWN_DURING_WAIT: (jobId: string) => [
		`n8n is shutting down, and the node no longer waits for job ${jobId}`,
		`The job continues on the server: it was not canceled. ${RETRY} to get its files: the node waits for the same job, and nothing is run twice. If Still Running is connected, for example to the Wait node, the execution continues automatically.`,
	],
	/** @param key of the submission, if it has one. */
	SHUTDOWN_DURING_SUBMISSION: (key: string | null) => [
		'n8n is shutting down, and the server has not confirmed the submission: a job may exist',
		`Nothing was canceled. ${RETRY}: the node looks for this job before it sends anything.${keyNote(key)}`,
	],
	/** @param requestId the router's id of the queued request. */
	SHUTDOWN_DURING_REQUEST: (requestId: string, key: string | null) => [
		`n8n is shutting down, and the node no longer waits for the queued request ${requestId}`,
		`The request continues on the server: it was not canceled. ${RETRY} within 24 hours to collect its result: nothing is run twice.${keyNote(key)}`,
	],
	/** @param key of the request. The request may have arrived. */
	SHUTDOWN_DURING_RUN: (key: string | null) => [
		'n8n is shutting down, and the router has not confirmed the queued request: it may exist',
		`Nothing was canceled. ${RETRY} within 24 hours: the node sends the same key again, and nothing is run twice.${keyNote(key)}`,
	],
	SHUTDOWN_BEFORE_SENDING: () => [
		'n8n is shutting down: nothing was sent for this item',
		`${RETRY}: it runs the missing items, and nothing is run twice.`,
	],
	SHUTDOWN_DURING_ITEM: () => ['n8n is shutting down: this item was not finished', `Nothing was canceled. ${RETRY}: nothing is run twice.`],
	EXECUTION_STOPPED: () => ['The execution was stopped before this item was finished'],
	NODE_STOPPED_BEFORE_START: () => ['The execution was stopped before this node started', TIME_LIMIT],
	NODE_STOPPED_BEFORE_END: () => ['The execution was stopped before this node was finished', TIME_LIMIT],
	ITEM_NOT_STARTED: (item: number) => [`The execution was stopped: item ${item} was not started`, `Nothing was sent for it. ${TIME_LIMIT}`],
	ITEMS_NOT_STARTED: (first: number, last: number) => [
		`The execution was stopped: items ${first} to ${last} were not started`,
		`Nothing was sent for them. ${TIME_LIMIT}`,
	],
});

/** One line for all items that were not begun. */
export const notBegun = {
	one: (item: number): string => `Item ${item} was not started: nothing was sent for it.`,
	several: (first: number, last: number): string => `Items ${first} to ${last} were not started: nothing was sent for them.`,
};
