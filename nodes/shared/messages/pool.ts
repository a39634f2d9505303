/** Messages about several servers behind one credential. */
import type { ComfyError, MissingOnServer, NoFittingServerError, UnknownOutcomeError } from '../../../client';
import { ItemFault } from '../itemFault';
import { reasonOf } from './logLines';
import { joinNames, limitLines, MOST_CHOICES, NO_JOB, NOTHING_SENT, shorten, type Words, words } from './words';

const MOST_LINES = 20;
const LONGEST_VALUE = 120;

const missingLine = ({ server, classType, input, value }: MissingOnServer): string =>
	input === undefined || value === undefined
		? `${server} does not have the node ${shorten(classType, LONGEST_VALUE)}`
		: `${server} does not have "${shorten(value, LONGEST_VALUE)}" for the input ${input} of ${shorten(classType, LONGEST_VALUE)}`;

/** Returns the words for a workflow that needs something that no single server has. */
export function noFittingServerWords({ missing, unanswered }: NoFittingServerError): Words {
	const silent = joinNames([...unanswered]);
	const advice =
		unanswered.length === 0
			? 'Install the missing models or custom nodes on one of the servers, then run the item again.'
			: `These servers do not respond and may have what is missing: ${silent}. Start them, or install the missing models or custom nodes on another server. Then retry this execution.`;
	return words(
		'No server of the credential that responds has everything that the workflow uses',
		`${NO_JOB} ${advice}`,
		...limitLines(missing.map(missingLine), MOST_LINES),
	);
}

/** Returns one line for each server that refused the request: its address and what it answered. Empty if no other server did. */
export function refusingServerLines(cause: ComfyError): string[] {
	const { refusals = [] } = cause;
	const refusing = refusals.length === 0 ? [] : [cause, ...refusals].filter(({ server }) => server !== undefined);
	return limitLines(
		refusing.map((error) => `Refused by ${error.server}: ${reasonOf(error)}`),
		MOST_LINES,
	);
}

const RUN_ELSEWHERE = 'To let another server run such an item after 10 seconds, set When A Server Is Lost to Run Elsewhere.';

/** Returns the words for a job that servers may have that do not respond. @param servers at least one address. */
export function silentServersWords({ before, jobId }: UnknownOutcomeError, servers: readonly string[]): Words {
	const names = joinNames([...servers]);
	if (before !== undefined) {
		return words(
			`An earlier execution may have submitted this item, and ${names} does not respond`,
			`Nothing was sent, because ${names} may have the job. When the server responds again, retry this execution: the node looks for the job on all servers.`,
			RUN_ELSEWHERE,
		);
	}
	return words(
		`This item may have been submitted to ${names}, but the server stopped responding`,
		`It was not submitted to another server, because the job may run there. When the server responds again, retry this execution: the node looks for job ${jobId} on all servers and submits nothing.`,
		'A ComfyUI that was restarted has lost its jobs. In that case, start a new execution to submit the item again.',
		RUN_ELSEWHERE,
	);
}

/** The value of *Server* is not one of the servers of the credential. */
export const unknownServer = (entered: string, known: readonly string[]): ItemFault =>
	new ItemFault(
		`The credential does not have the server "${entered}"`,
		`${NOTHING_SENT} Enter one of these addresses under Server in Options: ${joinNames([...known], MOST_CHOICES)}. To use all of them, leave Server empty.`,
	);

/** The credential has only one server, and the value of *Server* is another one. @param addresses of this server. */
export const otherServerEntered = (entered: string, addresses: readonly string[]): ItemFault =>
	new ItemFault(
		`The credential has one server, and its address is not "${entered}"`,
		`${NOTHING_SENT} Leave Server in Options empty to use ${joinNames([...addresses])}. To use several servers, turn on Several ComfyUIs in a Comfy Self-Hosted API credential.`,
	);

/** Some servers failed and the results are those of the others. */
export const failedServerHint = (server: string, { message, advice }: Words): string =>
	`The results do not include ${server}. ${message}. ${advice}`.trim();

/** A server refused a job that another one accepted. */
export const leftOutHint = (server: string, refusal: unknown, { message, advice }: Words): string =>
	`${server} gets no jobs for one minute, because it refused one (${reasonOf(refusal)}). ${message}. ${advice}`.trim();

/** Servers did not respond to a list of jobs. */
export const unansweredListHint = (servers: readonly string[]): string =>
	`The list does not include the jobs of ${joinNames([...servers], MOST_CHOICES)}, because ${servers.length === 1 ? 'this server' : 'these servers'} did not respond. Check that ${servers.length === 1 ? 'it is' : 'they are'} running, and run the node again.`;

export const NO_QUEUE_FRONT =
	'Queue Position has no effect, because this service has no front of the queue: the jobs wait behind those that are already queued. Set it to Normal, or run the workflow on your own ComfyUI.';
