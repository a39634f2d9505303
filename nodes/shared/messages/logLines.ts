/**
 * The lines of n8n's log at level debug: one when an item starts, one when it ends or fails, and one for each request, retry
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
	UnknownUserError,
	UnreadableAnswerError,
} from '../../../client';
import { shorten } from './words';

const LONGEST_NAME = 200;
const LONGEST_MESSAGE = 500;

function formatTime(milliseconds: number): string {
	if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
	return milliseconds < 120_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${Math.round(milliseconds / 60_000)} min`;
}

const TROUBLES: Record<ConnectionError['trouble'], string> = {
	refused: 'the connection was refused',
	dns: 'the host name was not found',
	tls: 'n8n does not trust the TLS certificate',
	no_tls: 'the server does not support TLS',
	only_tls: 'the server accepts only TLS connections',
	timeout: 'the time limit is over',
	too_slow: 'less than 1 KiB per second for one minute',
	lost: 'the connection was lost',
	blocked: 'n8n does not allow connections to this address',
	link_local: 'the address is link-local',
	not_web: 'a link or a redirect leads to an address that is not a web address',
	invalid_address: 'the address is not valid',
};

const UNREADABLE: Record<UnreadableAnswerError['facts']['reason'], string> = {
	html: 'the response is a web page',
	truncated: 'the response is incomplete',
	not_json: 'the response is not JSON',
	unexpected: 'this service does not send this response',
	other_origin: 'the server redirects to a different server',
};

/** A code is a single word. Any other text of the service is left out. */
const codeOf = ({ code }: ApiError): string => (/^\w{1,60}$/.test(code) ? ` ${code}` : '');

/** Returns what a server answered, or why there is no answer. */
export function reasonOf(error: unknown): string {
	if (error instanceof ApiError) return `HTTP ${error.status}${codeOf(error)}`;
	if (error instanceof UnreadableAnswerError) return `HTTP ${error.status}, ${UNREADABLE[error.facts.reason]}`;
	if (error instanceof ConnectionError) return TROUBLES[error.trouble];
	if (error instanceof UnknownUserError) return 'the server does not have the ComfyUI user';
	if (error instanceof StoppedError) return 'the execution was stopped';
	return error instanceof Error ? error.name : 'an unknown exception';
}

const reasonInBrackets = (error: unknown): string => (error === undefined ? '' : ` (${reasonOf(error)})`);

export function exchangeLine({ method, address, status, error, milliseconds, attempt }: Exchange): string {
	const what = `${method} ${address}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
	return status === undefined
		? `${what} → no response after ${formatTime(milliseconds)}${reasonInBrackets(error)}`
		: `${what} → ${status} in ${formatTime(milliseconds)}`;
}

/** Returns how long the service requests to wait. */
const retryAfter = (error: unknown): string =>
	error instanceof ApiError && error.retryAfterMs !== undefined ? ` for ${formatTime(error.retryAfterMs)}, as the service requests` : '';

/** Returns one line for a failed request and its retry. */
export function retriedLine(exchange: Exchange, decision: RetriedDecision): string {
	const { error } = decision;
	const code = error instanceof ApiError && codeOf(error) !== '' ? ` (${codeOf(error).trim()})` : '';
	const next =
		decision.kind === 'retry'
			? `attempt ${decision.attempt} in ${formatTime(decision.inMs)}${decision.hasRetryAfter ? ', as the service requests' : ''}`
			: `${NO_MORE_JOBS}, with ${jobsInFlight(decision.inFlight)}: ${WAITS_FOR_SLOT}${retryAfter(error)}`;
	return `${exchangeLine(exchange)}${code}; ${next}`;
}

type RetriedDecision = Extract<Decision, { kind: 'retry' | 'submission_postponed' }>;

/** Whether the decision is about this exchange. */
export function isRetryOf({ status }: Exchange, decision: Decision): decision is RetriedDecision {
	if (decision.kind !== 'retry' && decision.kind !== 'submission_postponed') return false;
	const { error } = decision;
	if (error instanceof ApiError || error instanceof UnreadableAnswerError) return error.status === status;
	return error instanceof ConnectionError && status === undefined;
}

const NO_EDITOR_FILE = { values: 'its values do not fit the file of the editor', size: 'it is larger than 512 KB' } as const;

export const noEditorFileLine = (reason: keyof typeof NO_EDITOR_FILE): string =>
	`the outputs will not contain the editor's workflow, because ${NO_EDITOR_FILE[reason]}`;

const SERVICES = { v2: 'the API proxy', v1: 'the v1 interface', engine: 'ComfyUI' } as const;
const TRACES = { key: 'its idempotency key', id: 'the ID that was chosen for it', workflow: 'its workflow' } as const;
const MODES = { live: 'by live events', polling: 'by polling' } as const;
const SOURCES = { read: 'job request', stream: 'live event', list: 'job list' } as const;
const WHYS = { requested: 'as requested', stopped: 'because the execution was stopped', timed_out: 'because Max Wait is over' } as const;

const jobsInFlight = (count: number): string => `${count} ${count === 1 ? 'job' : 'jobs'} of this connection in progress`;
const NO_MORE_JOBS = 'the service accepts no more jobs now';
const WAITS_FOR_SLOT = 'the submission waits for a free slot';

const ROUTE_TEXTS = {
	jobs: { lacks: 'does not return its jobs by /api/jobs', instead: 'reads its queue and its history' },
	statusFilter: { lacks: 'does not filter its jobs by these statuses', instead: 'reads jobs with all statuses' },
	cancel: { lacks: 'does not cancel jobs by /api/jobs', instead: 'uses its queue' },
} as const;

type DecisionText<Kind extends Decision['kind']> = (decision: Extract<Decision, { kind: Kind }>) => string;

const DECISIONS: { [Kind in Decision['kind']]: DecisionText<Kind> } = {
	retry: ({ attempt, inMs, hasRetryAfter, error }) =>
		`attempt ${attempt} in ${formatTime(inMs)}${hasRetryAfter ? ', as the service requests' : ''}${error === undefined ? '' : `: ${reasonOf(error)}`}`,
	service_found: ({ interface: name, origin, version }) =>
		`${SERVICES[name]}${version !== null && /^[\w.+-]{1,40}$/.test(version) ? ` ${version}` : ''} responds at ${origin}`,
	service_not_found: ({ interface: name, origin, error }) => `${SERVICES[name]} does not respond at ${origin}${reasonInBrackets(error)}`,
	file_is_stored: () => 'the service already has this file: the node sends no bytes',
	file_is_new: () => 'the service does not have this file: the node sends it',
	sent_without_labels: ({ error }) => `the service does not accept labels${reasonInBrackets(error)}: the node submits again without labels`,
	sent_without_editor_file: ({ error }) =>
		`the service does not accept the editor's workflow${reasonInBrackets(error)}: the node submits again without it`,
	route_replaced: ({ route, error }) =>
		`ComfyUI ${ROUTE_TEXTS[route].lacks}${reasonInBrackets(error)}: the node ${ROUTE_TEXTS[route].instead}`,
	server_chosen: ({ server, jobsAhead }) =>
		`the job goes to the server ${server}${jobsAhead === 0 ? '' : `, which has ${jobsAhead} ${jobsAhead === 1 ? 'job' : 'jobs'} before it`}`,
	server_skipped: ({ server, error }) => `the server ${server} does not get this job: ${reasonOf(error)}`,
	server_lost: ({ server, jobId }) => `the server ${server} no longer has job ${jobId}: the node submits the job to another server`,
	submission_postponed: ({ inFlight, error }) =>
		`${NO_MORE_JOBS}${reasonInBrackets(error)}, with ${jobsInFlight(inFlight)}: ${WAITS_FOR_SLOT}`,
	submission_queued: ({ ahead, inFlight }) =>
		`${WAITS_FOR_SLOT}: ${ahead} ${ahead === 1 ? 'submission' : 'submissions'} before it, ${jobsInFlight(inFlight)}`,
	slot_granted: ({ waitedMs }) => `the submission gets a free slot after ${formatTime(waitedMs)}`,
	recovery_started: ({ by, error }) =>
		`an earlier attempt may have created a job${reasonInBrackets(error)}: the node looks for it by ${TRACES[by]}`,
	job_recovered: ({ by, jobId }) => `the node recovers ${jobId === undefined ? 'an earlier run' : `job ${jobId}`} by ${TRACES[by]}`,
	wait_started: ({ jobId, mode, maxWaitMs }) => `the node waits for job ${jobId} ${MODES[mode]}, at most ${formatTime(maxWaitMs)}`,
	job_status: ({ jobId, status, queuePosition, from }) =>
		`job ${jobId} has status ${status}${queuePosition === null ? '' : `, queue position ${queuePosition}`} (${SOURCES[from]})`,
	stream_rejected: ({ jobId, error }) => `live events of job ${jobId} are not available${reasonInBrackets(error)}: the node polls the job`,
	stream_lost: ({ jobId, openMs, error }) =>
		`live events of job ${jobId} are lost after ${formatTime(openMs)}${reasonInBrackets(error)}: the node polls the job until they are back`,
	stream_waits: ({ jobId, open }) => `all ${open} event streams of the service are in use: the node polls job ${jobId} until one is free`,
	read_repeated: ({ jobId, status, inMs }) =>
		`job ${jobId} has status ${status} in the first response: the node reads it again in ${formatTime(inMs)}`,
	wait_timed_out: ({ jobId, status }) => `Max Wait is over: job ${jobId} has status ${status}`,
	cancel_requested: ({ jobId, because: why }) => `the node cancels job ${jobId}, ${WHYS[why]}`,
	cancel_answered: ({ jobId, status, isConfirmed }) =>
		`the service ${isConfirmed ? 'confirms' : 'does not confirm'} the cancellation of job ${jobId}, which has status ${status}`,
	download_resumes: ({ atByte, totalBytes, error }) =>
		`the download continues at byte ${atByte}${totalBytes === null ? '' : ` of ${totalBytes}`}${reasonInBrackets(error)}`,
	link_expired: ({ status }) => `the link of the file is no longer valid (HTTP ${status}): the node requests a new one`,
	socket_down: ({ address, openMs, retryInMs, error }) =>
		`the WebSocket ${address} ${openMs === undefined ? 'cannot be opened' : `is lost after ${formatTime(openMs)}`}${reasonInBrackets(error)}: the node connects again in ${formatTime(retryInMs)}`,
	socket_closed: ({ address }) => `the WebSocket ${address} is closed`,
};

export const decisionLine = (decision: Decision): string => (DECISIONS[decision.kind] as (decision: Decision) => string)(decision);

export const earlierTryLine = (jobId: string): string => `an earlier try of this item submitted job ${jobId}: the node sends nothing`;

export const replacedLine = (jobId: string, wasStopped: boolean): string =>
	`job ${jobId} of an earlier try of this item ${wasStopped ? 'was stopped' : 'has no result'}: the node submits the item again`;

export const submittedLine = ({ job_id: jobId }: Job): string => `job ${jobId} is submitted`;

export const freesMemoryLine = (): string => 'the node frees the memory of ComfyUI';

export const sharedConnectionLine = (): string => 'the node uses the open connection';

export const definitionsLine = (known: number, asked: number): string => `the node has ${known} node definitions and requests ${asked}`;

export const convertedLine = (nodes: number, notes: number): string =>
	`the workflow is converted from the editor format: ${nodes} nodes, ${notes} uncertain values`;

export const sentBeforeLine = (): string => 'the node sent a file with the same bytes before in this run, and uses it again';

type NamedOutput = Pick<JobOutput, 'name' | 'node_id'>;

/** Writes names as JSON, so that a line break in a name does not break the line. */
const outputName = ({ name, node_id: nodeId }: NamedOutput): string =>
	`${JSON.stringify(shorten(name, LONGEST_NAME))} of node ${JSON.stringify(shorten(nodeId, LONGEST_NAME))}`;

export const downloadsLine = (output: NamedOutput & Pick<JobOutput, 'size_bytes'>): string =>
	`the node downloads output ${outputName(output)}${output.size_bytes > 0 ? ` (${output.size_bytes} bytes)` : ''}`;

export const savedLine = (output: NamedOutput, bytes: number, milliseconds: number): string =>
	`output ${outputName(output)} is saved: ${bytes} bytes in ${formatTime(milliseconds)}`;

/** Returns scheme, host and path. */
const addressOf = (url: string): string =>
	URL.canParse(url) ? (new URL(url).origin + new URL(url).pathname).replace(/\/$/, '') : 'an address that is not valid';

/** @param operation empty if the node has only one. */
export function itemBeginsLine(
	nodeType: string,
	operation: string,
	{ baseUrl, engineUrl = '', interface: chosen }: { baseUrl: string; engineUrl?: string; interface?: string },
): string {
	const what = [nodeType.split('.').pop(), operation].filter(Boolean).join(' ');
	const addresses = [baseUrl, engineUrl].filter(Boolean).map(addressOf);
	return `the item starts: ${what}, ${chosen === undefined ? '' : `interface ${chosen}, `}server ${[...new Set(addresses)].join(' or ')}`;
}

export function itemEndsLine(results: ReadonlyArray<{ json: object }>, known: Record<string, unknown>, milliseconds: number): string {
	const { status, job_id: jobId } = { ...known, ...results[0]?.json };
	const job = typeof jobId === 'string' ? `, job ${jobId}${typeof status === 'string' ? ` has status ${status}` : ''}` : '';
	return `the item ends after ${formatTime(milliseconds)}: ${results.length} ${results.length === 1 ? 'result' : 'results'}${job}`;
}

/** Removes the queries of addresses from the message, because they may give access. */
export function itemFailsLine(message: string, milliseconds: number): string {
	const withoutQueries = message.replace(/\?[^\s"']+/g, '?…').replace(/\s+/g, ' ');
	return `the item fails after ${formatTime(milliseconds)}: ${shorten(withoutQueries, LONGEST_MESSAGE)}`;
}

export const submitsLine = (key: string | null): string =>
	key === null ? 'the node submits the item without an idempotency key' : `the node submits the item with idempotency key ${key}`;

/** @param upperUsd undefined if the cost is unknown. */
export const estimatedLine = (upperUsd: number | undefined): string =>
	upperUsd === undefined ? 'the cost of the run is unknown' : `the run costs at most ${upperUsd} US dollars, by the estimate of the router`;

export const cancelsStoppedLine = (jobId: string): string => `the node cancels job ${jobId}, ${WHYS.stopped}`;
