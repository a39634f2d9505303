import { ApiError, clock, type Job, type JobError, type JobOutput, UnreadableAnswerError } from '../../../../client';
import { nodeName, shortened } from '../words';

/** What the model of an AI agent is told to do next; it reads nothing but the answer of its tool. */

export const ASK_AGAIN =
	'The job goes on. Ask again with this job_id, by a tool that waits for jobs or looks at them; without one, tell the person this job_id. Do not run the workflow again: that would make, and cost, a second job.';

export const ASK_LATER =
	'The job goes on, but n8n is being stopped: do not ask again now, and do not run the workflow again, which would make, and cost, a second job. Tell the person this job_id: with it the files can be had later.';

export const FILES_BY_ID =
	'The files are kept in the service and are not handed to you: the n8n workflow can deliver them by this job_id. Name the job_id, show no pictures and invent no links.';

const CALLED_AGAIN = 'Calling the tool again makes a new job, which may cost again.';

const SERVICE_SIDE =
	'The cause lies in the service. Submit the workflow again; if it happens again, tell the service’s support the job id.';

const OUT_OF_MEMORY = 'OOMError';
const NETWORK_FAILURE = 'NetworkError';

/** What an engine does not know any more. */
const FORGOTTEN = 'forgotten_by_engine';

/** What is paid for is the result of its item, well or badly. */
const ANEW = 'Retrying this execution looks at the same job again: to run it anew, start a new execution.';

/** The end of a traceback shows where it happened; the whole text is in the data of the item. */
const MOST_TRACEBACK_LINES = 8;
const LONGEST_TRACEBACK_LINE = 300;
/** Python marks a place in the line above by a row of these. */
const MARKERS = /^[\s^~]*$/;
/** Beside it stands where it was, and what to do. */
const LONGEST_REASON = 800;

/** How to go on after a job that ended badly, by the code of its end; other codes say where to look in the workflow. */
const adviceByCode: Record<string, string> = {
	ValidationError: 'Correct the inputs of the workflow, then submit it again.',
	ModelDownloadError:
		'A model that the workflow names is missing in the service or could not be fetched. Check its name, or choose another model, then submit it again.',
	ImageDownloadError:
		'An input image could not be fetched from its address. Check that the internet can reach it, or send the file itself (by Files of Comfy Run Workflow, or with Comfy Upload Asset), then submit the workflow again.',
	[OUT_OF_MEMORY]: 'The GPU had too little memory. Use smaller pictures, fewer frames or a smaller batch, then submit the workflow again.',
	[NETWORK_FAILURE]:
		'The node could not reach a server on the network. Check the internet connection of the computer that runs ComfyUI. If it works, the other server is not available: submit the workflow again later.',
	InsufficientFundsError:
		'The balance is too low for the partner nodes of this workflow. Add credits to the account, then submit it again.',
	InactiveSubscriptionError:
		'The account has no active subscription. Activate it in the account, then submit the workflow again; waiting does not help.',
	PanicError: SERVICE_SIDE,
	ServiceError: SERVICE_SIDE,
	WebSocketError: SERVICE_SIDE,
	DispatcherError: SERVICE_SIDE,
	non_retryable_error: 'Retrying will not help. Correct the workflow or its inputs first.',
	[FORGOTTEN]: 'ComfyUI keeps its jobs in memory only. What it saved may still lie in its output folder. Submit the workflow again.',
	lost: 'The job disappeared in the service before finishing. Submit the workflow again.',
};

/** An exception that says nothing has at least a name; a code of the service's own names none. */
const reasonOf = ({ message, exception_type: type, code }: JobError): string =>
	shortened(message.trim() || (typeof type === 'string' && type) || (/(Error|Exception)$/.test(code) ? code : ''), LONGEST_REASON);

export interface FailureContext {
	/** Of the node at which the job ended, where that is known. */
	title?: string;
	/** The job ran on a server of the user's own. */
	isOwnServer?: boolean;
}

/** The API proxy says `expired` also of a job that ComfyUI has lost; what is really expired is past its own `expires_at`. */
function isForgotten({ status, job_error: reason, expires_at: expiresAt }: Job, { isOwnServer = false }: FailureContext): boolean {
	if (reason?.code === FORGOTTEN) return true;
	return isOwnServer && status === 'expired' && Date.parse(expiresAt ?? '') > clock.wallNow();
}

export function failureMessage(job: Job, context: FailureContext = {}): string {
	const { job_error: reason } = job;
	if (isForgotten(job, context))
		return `Job ${job.job_id} is not known to ComfyUI any more: it was restarted, its history was cleared, or somebody took the job out of its queue`;
	if (job.status === 'expired') return `Job ${job.job_id} has expired`;
	if (job.status === 'canceled') return `Job ${job.job_id} was stopped before it finished`;
	if (reason === null) return `Job ${job.job_id} ended with status "${job.service_status}"`;
	if (reason.node_id === null) return `Job ${job.job_id} did not succeed: ${reasonOf(reason)}`;
	return `Job ${job.job_id} stopped at node ${nodeName(reason.node_id, { className: reason.class_type, title: context.title })}: ${reasonOf(reason)}`;
}

/** PyTorch's class has moved, and v2 has one code for whatever a node throws: then the text or the traceback tells. */
function isOutOfMemory({ code, exception_type: type, message, traceback }: JobError): boolean {
	if ([code, type].some((name) => /(^|\.)(OOMError|OutOfMemoryError)$/.test(String(name)))) return true;
	return /\bout of memory\b|would exceed allowed memory/i.test(message) || /\bOutOfMemoryError\b/.test(traceback ?? '');
}

/** Exceptions of partner nodes (`comfy_api_nodes`), aiohttp, requests, urllib and Python itself. */
const NETWORK_EXCEPTION =
	/(^|\W)(LocalNetworkError|ApiServerError|NetworkError|ClientConnect\w*Error|ServerDisconnectedError|ConnectTimeout|ConnectionError|NewConnectionError|MaxRetryError|ConnectionRefusedError|ConnectionResetError|gaierror|URLError)($|\W)/;
const NETWORK_WORDS =
	/local network issues|API server at \S+ is currently unreachable|Cannot connect to host|Name or service not known|name resolution|getaddrinfo failed|Network is unreachable/i;

/** v2 has one code for every exception: then the last line of the traceback names it. */
function isNetworkFailure({ code, exception_type: type, message, traceback }: JobError): boolean {
	const lastLine = (traceback ?? '').trimEnd().split('\n').at(-1) ?? '';
	const name = lastLine.slice(0, LONGEST_REASON).split(':', 1)[0] ?? '';
	return [code, type, name].some((one) => NETWORK_EXCEPTION.test(String(one))) || NETWORK_WORDS.test(message.slice(0, LONGEST_REASON));
}

/** The code of the advice, where the exception shows it. */
function knownCause(reason: JobError): unknown {
	if (isOutOfMemory(reason)) return OUT_OF_MEMORY;
	return isNetworkFailure(reason) ? NETWORK_FAILURE : reason.exception_type;
}

function shortTraceback(traceback: string): string {
	const lines = traceback.split('\n').filter((line) => !MARKERS.test(line));
	const shown = lines.slice(-MOST_TRACEBACK_LINES).map((line) => shortened(line.trimEnd(), LONGEST_TRACEBACK_LINE));
	const where = shown.length < lines.length ? ` (the last ${shown.length} of ${lines.length} lines; job_error has all of them)` : '';
	return `Traceback${where}: ${shown.join('\n')}`;
}

/** How a job ended may have a code beside the one of what went wrong in it. */
function wayOn({ job_error: reason }: Job): string[] {
	const codes = new Set([reason?.code, reason === null ? undefined : knownCause(reason)].map(String));
	const known = [...codes].filter((code) => Object.hasOwn(adviceByCode, code));
	if (known.length > 0) return known.map((code) => adviceByCode[code] as string);
	const where = reason?.node_id == null ? 'the workflow' : 'this node in the workflow';
	return [`Correct ${where} or its inputs, then submit it again.`];
}

/** A model can do nothing with a traceback, and an execution is not its to retry. */
export const failureAdviceForModel = (job: Job): string => [...(job.status === 'failed' ? wayOn(job) : []), CALLED_AGAIN].join('\n');

export function failureAdvice(job: Job, context: FailureContext = {}): string {
	const { job_error: reason } = job;
	if (isForgotten(job, context)) return `${adviceByCode[FORGOTTEN]}\n${ANEW}`;
	if (job.status === 'expired') return `Its results are no longer kept. Submit the workflow again.\n${ANEW}`;
	if (job.status === 'canceled')
		return `Somebody, or a stopped execution, canceled it. Submit the workflow again if it was not meant.\n${ANEW}`;
	const lines = [...wayOn(job), ANEW];
	if (reason?.code) lines.push(`Code: ${reason.code}.`);
	if (reason?.traceback) lines.push(shortTraceback(reason.traceback));
	return lines.join('\n');
}

type MessageAndAdvice = [message: string, advice: string];

/** An answer of the service, or of its storage, by which no try will ever get the file. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

const isGone = (cause: unknown): boolean =>
	(cause instanceof ApiError && GONE.has(cause.status)) ||
	(cause instanceof UnreadableAnswerError && GONE.has(cause.status) && cause.facts.reason !== 'html');

const hasDots = ({ name, file_reference: reference }: JobOutput): boolean => JSON.stringify([name, reference]).includes('..');

const ofNode = ({ name, node_id: nodeId }: JobOutput): string => `"${name}"${nodeId === '' ? '' : ` of node ${nodeId}`}`;

/** Why one output of a job cannot be saved, where that lies in this output alone. */
export const lostOutput = {
	/** ComfyUI refuses such a name at once, but the API proxy passes that on as a failure that may pass. @returns undefined for others. */
	name(output: JobOutput): MessageAndAdvice | undefined {
		if (!hasDots(output)) return undefined;
		return [
			`ComfyUI does not hand out ${ofNode(output)}: it refuses every name that holds ".."`,
			'The file is in its output folder. Change filename_prefix of that node, then submit the workflow again.',
		];
	},
	/** @returns undefined for any other reason. */
	file(output: JobOutput, cause: unknown): MessageAndAdvice | undefined {
		if (!isGone(cause)) return undefined;
		return [
			`The server no longer has the bytes of ${ofNode(output)}`,
			'It was deleted, or its time is over. Run the workflow again to make it anew.',
		];
	},
	text: (output: JobOutput): MessageAndAdvice => [
		`The text ${ofNode(output)} was too long for the item, and ComfyUI does not know the job any more`,
		'Put Comfy Download Outputs right after Comfy Wait For Job, and submit the workflow again.',
	],
};
