/**
 * The lines of n8n's log at level debug: one when an item begins, one when it ends or fails, and one for each request, retry
 * and decision. From a service they contain only error codes, names of outputs, and the message of a failed item.
 */
import {
	ApiError,
	ConnectionError,
	type Decision,
	type Exchange,
	type Job,
	type JobOutput,
	StoppedError,
	UnreadableAnswerError,
} from '../../../client';
import type { NamedCredential } from '../credentials';
import type { ItemResult } from '../operation';
import { shorten } from './words';

const LONGEST_NAME = 200;
const LONGEST_MESSAGE = 500;

const formatTime = (milliseconds: number): string =>
	milliseconds < 1_000
		? `${Math.round(milliseconds)} ms`
		: milliseconds < 120_000
			? `${(milliseconds / 1_000).toFixed(1)} s`
			: `${Math.round(milliseconds / 60_000)} min`;

const TROUBLES: Record<ConnectionError['trouble'], string> = {
	refused: 'the connection was refused',
	dns: 'the host name is unknown',
	tls: 'the certificate is not trusted',
	no_tls: 'the server speaks no TLS',
	only_tls: 'the server speaks TLS only',
	timeout: 'it took too long',
	too_slow: 'less than 1 KiB per second came for a minute',
	lost: 'the connection was lost',
	blocked: 'n8n blocks the address',
	link_local: 'the address is link-local',
	invalid_address: 'the address is unusable',
};

const UNREADABLE: Record<UnreadableAnswerError['facts']['reason'], string> = {
	html: 'a web page came',
	truncated: 'half an answer came',
	not_json: 'no JSON came',
	unexpected: 'the answer is none of this service',
	other_origin: 'a redirect to another server',
};

/** A code is a single word. Any other text of the service is left out. */
const codeOf = ({ code }: ApiError): string => (/^\w{1,60}$/.test(code) ? ` ${code}` : '');

function reasonOf(error: unknown): string {
	if (error instanceof ApiError) return `HTTP ${error.status}${codeOf(error)}`;
	if (error instanceof UnreadableAnswerError) return `HTTP ${error.status}, ${UNREADABLE[error.facts.reason]}`;
	if (error instanceof ConnectionError) return TROUBLES[error.trouble];
	if (error instanceof StoppedError) return 'it was stopped';
	return error instanceof Error ? error.name : 'something else was thrown';
}

const reasonInBrackets = (error: unknown): string => (error === undefined ? '' : ` (${reasonOf(error)})`);

export function exchangeLine({ method, address, status, error, milliseconds, attempt }: Exchange): string {
	const what = `${method} ${address}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
	return status === undefined
		? `${what} → no answer in ${formatTime(milliseconds)}${reasonInBrackets(error)}`
		: `${what} → ${status} in ${formatTime(milliseconds)}`;
}

/** Returns how long the service asks to wait. */
const retryAfter = (error: unknown): string =>
	error instanceof ApiError && error.retryAfterMs !== undefined ? `, for ${formatTime(error.retryAfterMs)} as the service asks` : '';

/** Returns one line for a failed request and its retry. */
export function retriedLine(exchange: Exchange, decision: RetriedDecision): string {
	const { error } = decision;
	const code = error instanceof ApiError && codeOf(error) !== '' ? ` (${codeOf(error).trim()})` : '';
	const next =
		decision.kind === 'retry'
			? `attempt ${decision.attempt} in ${formatTime(decision.inMs)}${decision.isAsked ? ', as the service asks' : ''}`
			: `the service takes no more jobs now, with ${jobsInFlight(decision.inFlight)}; the submission waits in line${retryAfter(error)}`;
	return `${exchangeLine(exchange)}${code}; ${next}`;
}

type RetriedDecision = Extract<Decision, { kind: 'retry' | 'submission_put_off' }>;

/** Whether the decision is about this exchange. */
export function isRetryOf({ status }: Exchange, decision: Decision): decision is RetriedDecision {
	if (decision.kind !== 'retry' && decision.kind !== 'submission_put_off') return false;
	const { error } = decision;
	if (error instanceof ApiError || error instanceof UnreadableAnswerError) return error.status === status;
	return error instanceof ConnectionError && status === undefined;
}

const SERVICES = { v2: 'the API proxy', v1: 'the v1 interface', engine: 'ComfyUI' } as const;
const TRACES = { key: 'its idempotency key', id: 'the id that was chosen for it', workflow: 'its workflow' } as const;
const MODES = { live: 'by live events', polling: 'by polling' } as const;
const SOURCES = { read: 'read', stream: 'live event', list: 'job list' } as const;
const WHYS = { asked: 'as asked', stopped: 'because the execution was stopped', wait_is_over: 'because Max Wait is over' } as const;

const jobsInFlight = (count: number): string => `${count} ${count === 1 ? 'job' : 'jobs'} of this connection in flight`;

type DecisionText<Kind extends Decision['kind']> = (decision: Extract<Decision, { kind: Kind }>) => string;

const DECISIONS: { [Kind in Decision['kind']]: DecisionText<Kind> } = {
	retry: ({ attempt, inMs, isAsked, error }) =>
		`attempt ${attempt} in ${formatTime(inMs)}${isAsked ? ', as the service asks' : ''}: ${reasonOf(error)}`,
	service_found: ({ interface: name, origin, version }) =>
		`found ${SERVICES[name]}${version !== null && /^[\w.+-]{1,40}$/.test(version) ? ` ${version}` : ''} at ${origin}`,
	service_not_there: ({ interface: name, origin, error }) => `${SERVICES[name]} is not at ${origin}${reasonInBrackets(error)}`,
	file_is_stored: () => 'the service has this file already: no bytes are sent',
	file_is_new: () => 'the service does not have this file yet: it is sent',
	sent_without_labels: ({ error }) => `sent once more without labels, which the service does not take${reasonInBrackets(error)}`,
	submission_put_off: ({ inFlight, error }) =>
		`the service takes no more for now${reasonInBrackets(error)}, with ${jobsInFlight(inFlight)}: the submission waits in line`,
	waits_in_line: ({ ahead, inFlight }) => `the submission waits for its turn: ${ahead} before it, ${jobsInFlight(inFlight)}`,
	turn_came: ({ waitedMs }) => `the submission has its turn, after ${formatTime(waitedMs)} in line`,
	looks_for_job: ({ by, error }) => `an earlier attempt may have made a job${reasonInBrackets(error)}: looking for it by ${TRACES[by]}`,
	found_again: ({ by, jobId }) => `found ${jobId === undefined ? 'an earlier run' : `job ${jobId}`} again by ${TRACES[by]}`,
	wait_begins: ({ jobId, mode, maxWaitMs }) => `waiting for job ${jobId} ${MODES[mode]}, ${formatTime(maxWaitMs)} at most`,
	job_stands: ({ jobId, status, queuePosition, from }) =>
		`job ${jobId}: ${status}${queuePosition === null ? '' : `, place ${queuePosition} in the queue`} (${SOURCES[from]})`,
	stream_refused: ({ jobId, error }) => `no live events for job ${jobId}${reasonInBrackets(error)}: polling it instead`,
	stream_lost: ({ jobId, openMs, error }) =>
		`live events of job ${jobId} were lost after ${formatTime(openMs)}${reasonInBrackets(error)}: polling it until they are back`,
	stream_waits: ({ jobId, open }) => `all ${open} event streams that the service grants are in use: polling job ${jobId} until one is free`,
	reads_again: ({ jobId, status, inMs }) => `job ${jobId} reads ${status}: read again in ${formatTime(inMs)} before that is believed`,
	wait_is_over: ({ jobId, status }) => `Max Wait is over, and job ${jobId} is ${status}`,
	cancels: ({ jobId, because: why }) => `canceling job ${jobId}, ${WHYS[why]}`,
	cancel_answered: ({ jobId, status, isConfirmed }) =>
		`job ${jobId} is ${status}: ${isConfirmed ? 'it has stopped' : 'it was not stopped'}`,
	download_resumes: ({ atByte, totalBytes, error }) =>
		`the download goes on at byte ${atByte}${totalBytes === null ? '' : ` of ${totalBytes}`}${reasonInBrackets(error)}`,
	asks_for_fresh_link: ({ status }) => `the link of the file is no longer good (HTTP ${status}): asking for a new one`,
	socket_down: ({ address, openMs, retryInMs, error }) =>
		`socket ${address} ${openMs === undefined ? 'could not be opened' : `was lost after ${formatTime(openMs)}`}${reasonInBrackets(error)}: tried again in ${formatTime(retryInMs)}`,
	socket_closed: ({ address }) => `socket ${address} is closed`,
};

export const decisionLine = (decision: Decision): string => (DECISIONS[decision.kind] as (decision: Decision) => string)(decision);

export const earlierTryLine = (jobId: string): string => `an earlier try of this item has submitted job ${jobId}: nothing is sent`;

export const stoppedEarlierLine = (jobId: string): string =>
	`job ${jobId} was stopped with an earlier try of this item: it is submitted anew`;

export const submittedLine = ({ job_id: jobId }: Job): string => `job ${jobId} is submitted`;

export const sharedConnectionLine = (): string => 'using the connection that is open already';

export const definitionsLine = (known: number, asked: number): string => `node definitions: ${known} known from before, ${asked} asked for`;

export const convertedLine = (nodes: number, notes: number): string =>
	`the workflow was converted from the editor's format: ${nodes} nodes, ${notes} uncertain values`;

export const sentBeforeLine = (): string => 'a file of the same bytes was sent before in this run: it is used again';

type NamedOutput = Pick<JobOutput, 'name' | 'node_id'>;

/** Writes names as JSON, so that a line break in a name does not break the line. */
const outputName = ({ name, node_id: nodeId }: NamedOutput): string =>
	`${JSON.stringify(shorten(name, LONGEST_NAME))} of node ${JSON.stringify(shorten(nodeId, LONGEST_NAME))}`;

export const downloadsLine = (output: NamedOutput & Pick<JobOutput, 'size_bytes'>): string =>
	`downloading output ${outputName(output)}${output.size_bytes > 0 ? ` (${output.size_bytes} bytes)` : ''}`;

export const savedLine = (output: NamedOutput, bytes: number, milliseconds: number): string =>
	`saved output ${outputName(output)}: ${bytes} bytes in ${formatTime(milliseconds)}`;

/** Returns scheme, host and path. */
const addressOf = (url: string): string =>
	URL.canParse(url) ? (new URL(url).origin + new URL(url).pathname).replace(/\/$/, '') : 'an unusable address';

/** @param operation empty if the node has only one. */
export function itemBeginsLine(
	nodeType: string,
	operation: string,
	{ baseUrl, engineUrl = '', interface: chosen }: NamedCredential,
): string {
	const what = [nodeType.split('.').pop(), operation].filter(Boolean).join(' ');
	const addresses = [baseUrl, engineUrl].filter(Boolean).map(addressOf);
	return `item begins: ${what}, ${chosen === undefined ? '' : `interface ${chosen}, `}server ${[...new Set(addresses)].join(' or ')}`;
}

export function itemEndsLine(results: ItemResult[], known: Record<string, unknown>, milliseconds: number): string {
	const { status, job_id: jobId } = { ...known, ...results[0]?.json };
	const job = typeof jobId === 'string' ? `, job ${jobId}${typeof status === 'string' ? ` is ${status}` : ''}` : '';
	return `item ends after ${formatTime(milliseconds)}: ${results.length} ${results.length === 1 ? 'result' : 'results'}${job}`;
}

/** Removes the queries of addresses from the message, because they may give access. */
export function itemFailsLine(message: string, milliseconds: number): string {
	const withoutQueries = message.replace(/\?[^\s"']+/g, '?…').replace(/\s+/g, ' ');
	return `item fails after ${formatTime(milliseconds)}: ${shorten(withoutQueries, LONGEST_MESSAGE)}`;
}

export const submitsLine = (key: string | null): string =>
	key === null ? 'submitting without an idempotency key' : `submitting with idempotency key ${key}`;

export const cancelsStoppedLine = (jobId: string): string => `canceling job ${jobId}, ${WHYS.stopped}`;
