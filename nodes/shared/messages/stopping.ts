import { ItemFault } from '../itemFault';

/** Faults for items that did not finish because n8n, or a worker of n8n, shuts down. */

const RETRY = 'When n8n runs again, retry this execution in the list of executions';
const keyNote = (key: string | null): string => (key === null ? '' : ` Its idempotency key is ${key}.`);

export const shutdownDuringWait = (jobId: string): ItemFault =>
	new ItemFault(
		`n8n is shutting down, and the node no longer waits for job ${jobId}`,
		`The job continues in the service: it was not canceled. ${RETRY} to get its files: the node waits for the same job, and nothing is run twice. If Still Running is connected, for example to the Wait node, the execution continues automatically.`,
	);

/** @param key of the submission, if it has one. */
export const shutdownDuringSubmission = (key: string | null): ItemFault =>
	new ItemFault(
		'n8n is shutting down, and the service has not confirmed the submission: a job may exist',
		`Nothing was canceled. ${RETRY}: the node looks for this job before it sends anything.${keyNote(key)}`,
	);

/** @param requestId the router's id of the queued request. */
export const shutdownDuringRequest = (requestId: string, key: string | null): ItemFault =>
	new ItemFault(
		`n8n is shutting down, and the node no longer waits for the queued request ${requestId}`,
		`The request continues in the service: it was not canceled. ${RETRY} within 24 hours to collect its result: nothing is run twice.${keyNote(key)}`,
	);

/** @param key of the request. The request may have arrived. */
export const shutdownDuringRun = (key: string | null): ItemFault =>
	new ItemFault(
		'n8n is shutting down, and the router has not confirmed the queued request: it may exist',
		`Nothing was canceled. ${RETRY} within 24 hours: the node sends the same key again, and nothing is run twice.${keyNote(key)}`,
	);

export const shutdownBeforeSending = (): ItemFault =>
	new ItemFault('n8n is shutting down: nothing was sent for this item', `${RETRY}: it runs the missing items, and nothing is run twice.`);

export const shutdownDuringItem = (): ItemFault =>
	new ItemFault('n8n is shutting down: this item was not finished', `Nothing was canceled. ${RETRY}: nothing is run twice.`);

/** Returns one line for all items that were not begun. */
export function describeNotBegun(indexes: number[]): string {
	const [first, last] = [indexes[0], indexes.at(-1)];
	if (first === undefined) return '';
	return first === last
		? `Item ${first} was not started: nothing was sent for it.`
		: `Items ${first} to ${last} were not started: nothing was sent for them.`;
}

const TIME_ADVICE =
	'If you did not stop it, its time limit was reached: raise Timeout Workflow in the settings of the workflow, or run fewer items at a time.';

/**
 * Returns the fault of a stopped execution. n8n does not report whether a person or the time limit stopped it.
 * @param begun how many items were begun.
 */
export function stoppedFault(begun: number, itemCount: number): ItemFault {
	if (begun === 0) return new ItemFault('The execution was stopped before this node started', TIME_ADVICE);
	if (begun === itemCount) return new ItemFault('The execution was stopped before this node was finished', TIME_ADVICE);
	const last = itemCount - 1;
	const left = begun === last ? `item ${last} was` : `items ${begun} to ${last} were`;
	return new ItemFault(
		`The execution was stopped: ${left} not started`,
		`Nothing was sent for ${begun === last ? 'it' : 'them'}. ${TIME_ADVICE}`,
	);
}
