import { ApiError, clock, type Job, type JobError, type JobOutput, UnreadableAnswerError } from '../../../../client';
import { nodeName, OUTPUT_GONE, shorten } from '../words';

/** What the result of a tool asks the model of an AI agent to do next. */

export const ASK_AGAIN =
	'The job is still running. Check it again later with this job_id, if you have a tool that waits for jobs or gets them. If you have no such tool, give the user this job_id. Do not run the workflow again: that would create and bill a second job.';

export const ASK_LATER =
	'The job is still running, but n8n is shutting down. Do not check the job now, and do not run the workflow again: that would create and bill a second job. Give the user this job_id: it gives access to the files later.';

export const FILES_BY_ID =
	'The files are stored in the service, and you do not receive them. The n8n workflow can deliver them with this job_id. Give the user the job_id. Do not show images and do not invent links.';

/** Behind the MCP Server Trigger of n8n, calls with equal fields share one job. */
const CALLED_AGAIN =
	'If you call the tool again with other fields, it creates a new job, which may also be billed. With the same fields, it may return this job again.';

const SERVICE_SIDE =
	'The cause is in the service. Submit the workflow again. If it happens again, send the job ID to the support of the service.';

const OUT_OF_MEMORY = 'OOMError';
const PARTNER_SIGN_IN = 'PartnerSignIn';
const PARTNER_CREDITS = 'InsufficientFundsError';
const PARTNER_RATE_LIMIT = 'PartnerRateLimit';
const NETWORK_FAILURE = 'NetworkError';

/** The code of a job that an engine has lost. */
const FORGOTTEN = 'forgotten_by_engine';

/** What a retry does with a job that has no result. It reads the same job, unless *Run Failed Jobs Again* lets it run again. */
export type RetryEffect =
	| 'runsAgain'
	| 'optionIsOff'
	| 'customKey'
	| 'billedService'
	| 'partnerNodes'
	| 'unknownNodes'
	| 'noWorkflow'
	/** The node does not have the option, or a person canceled the job. */
	| 'readsJob';

const NEW_EXECUTION = 'To submit a new job, start a new execution.';
const sameJobBecause = (reason: string): string => `A retry of this execution reads the same job, because ${reason}.`;
const CHOOSE_ALWAYS = 'To let retries run the job again and pay for it again, set Run Failed Jobs Again to Always.';

const adviceOnRetry: Record<RetryEffect, string> = {
	runsAgain: 'A retry of this execution runs the job again, with the same seeds.',
	optionIsOff: `A retry of this execution reads the same job. ${NEW_EXECUTION} To let retries run failed jobs again, set Run Failed Jobs Again in Options.`,
	customKey: `${sameJobBecause('Idempotency Key is Custom')} To run it again, enter a different key and start a new execution.`,
	billedService: `${sameJobBecause('the service may bill each run')} ${CHOOSE_ALWAYS}`,
	partnerNodes: `${sameJobBecause('the workflow has partner nodes, which cost money')} ${CHOOSE_ALWAYS}`,
	unknownNodes: `${sameJobBecause('ComfyUI did not report whether the workflow has partner nodes, which cost money')} ${CHOOSE_ALWAYS} If ComfyUI is behind the API proxy, you can enter Engine Address in the credential instead.`,
	noWorkflow: `${sameJobBecause('the service does not return its workflow')} ${NEW_EXECUTION} Comfy Run Workflow can run such a job again.`,
	readsJob: `A retry of this execution reads the same job. ${NEW_EXECUTION}`,
};

/** The end of a traceback shows the place of the error. The data of the item contain the whole text. */
const MOST_TRACEBACK_LINES = 8;
const LONGEST_TRACEBACK_LINE = 300;
const LONGEST_REASON = 800;

/** What to do after a failed job, by its error code. */
const adviceByCode: Record<string, string> = {
	ValidationError: 'Correct the inputs of the workflow, then submit it again.',
	ModelDownloadError:
		'A model of the workflow is missing in the service or could not be downloaded. Check its name, or choose another model, then submit the workflow again.',
	ImageDownloadError:
		'An input image could not be downloaded. Check that its address is public, or send the file with Files of Comfy Run Workflow or with Comfy Upload Asset. Then submit the workflow again.',
	[OUT_OF_MEMORY]:
		'The GPU does not have enough memory. Use smaller images, fewer frames or a smaller batch, then submit the workflow again.',
	[NETWORK_FAILURE]:
		'The ComfyUI node could not connect to a server. Check the internet connection of the computer that runs ComfyUI. If it works, the other server is not available: submit the workflow again later.',
	[PARTNER_SIGN_IN]:
		'This partner node needs an account of ComfyUI. In the node that submits the workflow, turn on Send Key To Partner Nodes in Options. Enter the key under Partner API Key or Partner Auth Token in the credential. Then submit the workflow again.',
	[PARTNER_RATE_LIMIT]:
		'The service of the partner node accepts no more requests for now. Submit the workflow again later, or run fewer items at the same time.',
	[PARTNER_CREDITS]: 'The balance is too low for the partner nodes of this workflow. Add credits to the account, then submit it again.',
	InactiveSubscriptionError: 'The account has no active subscription. Activate it in your account, then submit the workflow again.',
	PanicError: SERVICE_SIDE,
	ServiceError: SERVICE_SIDE,
	WebSocketError: SERVICE_SIDE,
	DispatcherError: SERVICE_SIDE,
	non_retryable_error: 'A retry returns the same result. Correct the workflow or its inputs, then submit it again.',
	[FORGOTTEN]: 'ComfyUI keeps its jobs only in memory. Files that it saved may still be in its output folder. Submit the workflow again.',
	lost: 'The service lost the job before it finished. Submit the workflow again.',
};

/** PyTorch explains in more lines how to set its memory allocation, which does not help here. The item contains all of them. */
const saidOf = (reason: JobError): string => {
	const message = reason.message.trim();
	return isOutOfMemory(reason) ? (message.split('\n', 1)[0] as string).trimEnd() : message;
};

/** Returns the message, or the name of the exception if there is no message. Codes of the service are no exceptions. */
const reasonOf = (reason: JobError): string => {
	const { exception_type: type, code } = reason;
	const exception = (typeof type === 'string' && type) || (/(Error|Exception)$/.test(code) ? code : 'no reason was given');
	return shorten(saidOf(reason) || exception, LONGEST_REASON);
};

export interface FailureContext {
	/** The title of the node at which the job failed, if it is known. */
	title?: string;
	/** Whether the job ran on a self-hosted server. */
	isOwnServer?: boolean;
	/** What a retry does with the job. The default is `readsJob`. */
	retryEffect?: RetryEffect;
}

/** Whether ComfyUI has lost the job. The API proxy reports `expired` then too, but before the job's own `expires_at`. */
function isForgotten({ status, job_error: reason, expires_at: expiresAt }: Job, { isOwnServer = false }: FailureContext): boolean {
	if (reason?.code === FORGOTTEN) return true;
	return isOwnServer && status === 'expired' && Date.parse(expiresAt ?? '') > clock.wallNow();
}

export function failureMessage(job: Job, context: FailureContext = {}): string {
	const { job_error: reason } = job;
	if (isForgotten(job, context))
		return `${job.server === undefined ? 'ComfyUI' : `The server ${job.server}`} no longer has job ${job.job_id}: it was restarted, its history was cleared, or the job was removed from its queue`;
	if (job.status === 'expired') return `Job ${job.job_id} has expired`;
	if (job.status === 'canceled') return `Job ${job.job_id} was stopped before it finished`;
	if (reason === null) return `Job ${job.job_id} ended with status "${job.service_status}"`;
	if (reason.node_id === null) return `Job ${job.job_id} did not succeed: ${reasonOf(reason)}`;
	return `Job ${job.job_id} stopped at node ${nodeName(reason.node_id, { className: reason.class_type, title: context.title })}: ${reasonOf(reason)}`;
}

/** v2 has one code for all exceptions of nodes, so the message and the traceback are searched. PyTorch's class has two names. */
function isOutOfMemory({ code, exception_type: type, message, traceback }: JobError): boolean {
	if ([code, type].some((name) => /(^|\.)(OOMError|OutOfMemoryError)$/.test(String(name)))) return true;
	return /\bout of memory\b|would exceed allowed memory/i.test(message) || /\bOutOfMemoryError\b/.test(traceback ?? '');
}

/** Exceptions of partner nodes (`comfy_api_nodes`), aiohttp, requests, urllib and Python itself. */
const NETWORK_EXCEPTION =
	/(^|\W)(LocalNetworkError|ApiServerError|NetworkError|ClientConnect\w*Error|ServerDisconnectedError|ConnectTimeout|ConnectionError|NewConnectionError|MaxRetryError|ConnectionRefusedError|ConnectionResetError|gaierror|URLError)($|\W)/;
const NETWORK_WORDS =
	/local network issues|API server at \S+ is currently unreachable|Cannot connect to host|Name or service not known|name resolution|getaddrinfo failed|Network is unreachable/i;

/** v2 has one code for all exceptions, so the last line of the traceback is searched for the name. */
function isNetworkFailure({ code, exception_type: type, message, traceback }: JobError): boolean {
	const lastLine = (traceback ?? '').trimEnd().split('\n').at(-1) ?? '';
	const name = lastLine.slice(0, LONGEST_REASON).split(':', 1)[0] ?? '';
	return [code, type, name].some((text) => NETWORK_EXCEPTION.test(String(text))) || NETWORK_WORDS.test(message.slice(0, LONGEST_REASON));
}

/** What the partner nodes of ComfyUI (`comfy_api_nodes`) report about the account. */
const PARTNER_WORDS: ReadonlyArray<readonly [RegExp, string]> = [
	[/\bplease log ?in first\b/i, PARTNER_SIGN_IN],
	[/\bPayment Required\b|\badd credits to your account\b/i, PARTNER_CREDITS],
	[/\bRate Limit Exceeded\b/i, PARTNER_RATE_LIMIT],
];

/** Returns the code of the advice for the exception. */
function findCause(reason: JobError): unknown {
	if (isOutOfMemory(reason)) return OUT_OF_MEMORY;
	const said = reason.message.slice(0, LONGEST_REASON);
	const partner = PARTNER_WORDS.find(([pattern]) => pattern.test(said));
	if (partner !== undefined) return partner[1];
	return isNetworkFailure(reason) ? NETWORK_FAILURE : reason.exception_type;
}

function shortTraceback(traceback: string): string {
	const lines = traceback.trimEnd().split('\n');
	const shown = lines.slice(-MOST_TRACEBACK_LINES).map((line) => shorten(line.trimEnd(), LONGEST_TRACEBACK_LINE));
	const where = shown.length < lines.length ? ` (the last ${shown.length} of ${lines.length} lines; job_error has all of them)` : '';
	return `Traceback${where}: ${shown.join('\n')}`;
}

/** Returns the advice for the job's error code and for its exception. */
function adviceFor({ job_error: reason }: Job): string[] {
	const codes = new Set([reason?.code, reason === null ? undefined : findCause(reason)].map(String));
	const known = [...codes].filter((code) => Object.hasOwn(adviceByCode, code));
	if (known.length > 0) return known.map((code) => adviceByCode[code] as string);
	const where = reason?.node_id == null ? 'the workflow' : 'this node in the workflow';
	return [`Correct ${where} or its inputs, then submit it again.`];
}

/** Returns the advice without a traceback and without retries, which a model cannot use. */
export const failureAdviceForModel = (job: Job): string => [...(job.status === 'failed' ? adviceFor(job) : []), CALLED_AGAIN].join('\n');

export function failureAdvice(job: Job, context: FailureContext = {}): string {
	const { job_error: reason } = job;
	const { retryEffect = 'readsJob' } = context;
	const onRetry = adviceOnRetry[retryEffect];
	if (isForgotten(job, context)) return `${adviceByCode[FORGOTTEN]}\n${onRetry}`;
	if (job.status === 'expired') return `The service no longer stores its results. Submit the workflow again.\n${onRetry}`;
	if (job.status === 'canceled')
		return `A person or a stopped execution canceled it. If this was not intended, submit the workflow again.\n${adviceOnRetry.readsJob}`;
	const lines = [...adviceFor(job), onRetry];
	if (reason?.code) lines.push(`Code: ${reason.code}.`);
	if (reason?.traceback) lines.push(shortTraceback(reason.traceback));
	return lines.join('\n');
}

type MessageAndAdvice = [message: string, advice: string];

/** Statuses of the service, or of its storage, that will not change. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

const isGone = (cause: unknown): boolean =>
	(cause instanceof ApiError && GONE.has(cause.status)) ||
	(cause instanceof UnreadableAnswerError && GONE.has(cause.status) && cause.facts.reason !== 'html');

const hasDots = ({ name, file_reference: reference }: JobOutput): boolean => JSON.stringify([name, reference]).includes('..');

/** Returns how messages name an output: its file and its node. */
export const outputName = ({ name, node_id: nodeId }: JobOutput): string => `"${name}"${nodeId === '' ? '' : ` of node ${nodeId}`}`;

/** Why a single output of a job can no longer be saved. */
export const lostOutput = {
	/** ComfyUI rejects such a name, but the API proxy reports it as a temporary error. @returns undefined for other names. */
	name(output: JobOutput): MessageAndAdvice | undefined {
		if (!hasDots(output)) return undefined;
		return [
			`ComfyUI does not return ${outputName(output)}: it rejects every name that contains ".."`,
			'The file is in the output folder of ComfyUI. Change filename_prefix of that node, then submit the workflow again.',
		];
	},
	/** @returns undefined for other errors. */
	file(output: JobOutput, cause: unknown): MessageAndAdvice | undefined {
		if (!isGone(cause)) return undefined;
		return [`The server no longer has the file ${outputName(output)}`, OUTPUT_GONE];
	},
	text: (output: JobOutput): MessageAndAdvice => [
		`The text ${outputName(output)} was too long for the item, and ComfyUI no longer has the job`,
		'Place Comfy Download Outputs directly after Comfy Wait For Job, and submit the workflow again.',
	],
};
