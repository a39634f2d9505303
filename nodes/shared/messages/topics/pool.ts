import { defineMessages, joinNames, MOST_CHOICES, NO_JOB, NOTHING_SENT, type Words } from '../words';

const RUN_ELSEWHERE = 'To let another server run such an item after 10 seconds, set When A Server Is Lost to Run Elsewhere.';

/** Several servers behind one credential. */
export const pool = defineMessages({
	/** @param missing one line for each thing that a server does not have. */
	POOL_LACKS_NODES_OR_FILES: (missing: string[]) => [
		'No server of the credential that responds has everything that the workflow uses',
		`${NO_JOB} Install the missing models or custom nodes on one of the servers, then run the item again.`,
		...missing,
	],
	/** @param silent the addresses of the servers that do not respond. */
	POOL_LACKS_AND_IS_SILENT: (missing: string[], silent: readonly string[]) => [
		'No server of the credential that responds has everything that the workflow uses',
		`${NO_JOB} These servers do not respond and may have what is missing: ${joinNames([...silent])}. Start them, or install the missing models or custom nodes on another server. Then retry this execution.`,
		...missing,
	],
	/** @param servers at least one address. */
	EARLIER_JOB_ON_SILENT_SERVER: (servers: readonly string[]) => [
		`An earlier execution may have submitted this item, and ${joinNames([...servers])} does not respond`,
		`Nothing was sent, because ${joinNames([...servers])} may have the job. When the server responds again, retry this execution: the node looks for the job on all servers.`,
		RUN_ELSEWHERE,
	],
	/** @param servers at least one address. */
	JOB_ON_SILENT_SERVER: (servers: readonly string[], jobId: string | undefined) => [
		`This item may have been submitted to ${joinNames([...servers])}, but the server stopped responding`,
		`It was not submitted to another server, because the job may run there. When the server responds again, retry this execution: the node looks for job ${jobId} on all servers and submits nothing.`,
		'A ComfyUI that was restarted has lost its jobs. In that case, start a new execution to submit the item again.',
		RUN_ELSEWHERE,
	],
	SERVER_NOT_IN_CREDENTIAL: (entered: string, known: readonly string[]) => [
		`The credential does not have the server "${entered}"`,
		`${NOTHING_SENT} Enter one of these addresses under Server in Options: ${joinNames([...known], MOST_CHOICES)}. To use all of them, leave Server empty.`,
	],
	/** @param addresses of the only server of the credential. */
	SERVER_NOT_THE_ONLY_ONE: (entered: string, addresses: readonly string[]) => [
		`The credential has one server, and its address is not "${entered}"`,
		`${NOTHING_SENT} Leave Server in Options empty to use ${joinNames([...addresses])}. To use several servers, turn on Several ComfyUIs in a Comfy Self-Hosted API credential.`,
	],
	/** A hint. @param reason why the server failed. */
	RESULTS_WITHOUT_SERVER: (server: string, reason: Words) => [`The results do not include ${server}. ${reason.message}`, reason.advice],
	/** A hint. @param refusal what the server answered, for example `HTTP 507`. */
	SERVER_LEFT_OUT: (server: string, refusal: string, reason: Words) => [
		`${server} gets no jobs for one minute, because it refused one (${refusal}). ${reason.message}`,
		reason.advice,
	],
	/** A hint for one server that did not respond to a list of jobs. */
	LIST_WITHOUT_SERVER: (server: string) => [
		`The list does not include the jobs of ${server}, because this server did not respond`,
		'Check that it is running, and run the node again.',
	],
	/** A hint for several servers that did not respond to a list of jobs. */
	LIST_WITHOUT_SERVERS: (servers: readonly string[]) => [
		`The list does not include the jobs of ${joinNames([...servers], MOST_CHOICES)}, because these servers did not respond`,
		'Check that they are running, and run the node again.',
	],
});

/** What a server does not have, in one line. */
export const missingOnServer = {
	node: (server: string, className: string): string => `${server} does not have the node ${className}`,
	value: (server: string, value: string, input: string, className: string): string =>
		`${server} does not have "${value}" for the input ${input} of ${className}`,
};

/** @param reason what the server answered. */
export const refusalLine = (server: string | undefined, reason: string): string => `Refused by ${server}: ${reason}`;
