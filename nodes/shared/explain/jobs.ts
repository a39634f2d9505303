import {
	ApiError,
	clock,
	type Job,
	type JobError,
	type JobOutput,
	type Silence,
	UnreadableAnswerError,
	type UnreadableJobError,
} from '../../../client';
import { enteredAddress, type NamedCredential } from '../credentials';
import { messages } from '../messages/catalogue';
import { correctAndSubmit, failureAdvice, failureDetail, forModel, retryAdvice, silenceAdvice, waitFailure } from '../messages/topics/jobs';
import { nodeName, shorten, type Words, withAdvice } from '../messages/words';

export type RetryEffect = keyof typeof retryAdvice;

/** Causes that have advice in addition to the codes of the service. */
type Cause = keyof typeof failureAdvice;

/** The code of a job that an engine has lost. */
const FORGOTTEN: Cause = 'forgotten_by_engine';

/** The end of a traceback shows the place of the error. The data of the item contain the whole text. */
const MOST_TRACEBACK_LINES = 8;
const LONGEST_TRACEBACK_LINE = 300;
const LONGEST_REASON = 800;

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
	/** Whether a model of an agent reads the words. It cannot use a traceback and does not retry executions. */
	isTool?: boolean;
}

/** Whether ComfyUI has lost the job. The API proxy reports `expired` then too, but before the job's own `expires_at`. */
function isForgotten({ status, job_error: reason, expires_at: expiresAt }: Job, { isOwnServer = false }: FailureContext): boolean {
	if (reason?.code === FORGOTTEN) return true;
	return isOwnServer && status === 'expired' && Date.parse(expiresAt ?? '') > clock.wallNow();
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
const PARTNER_WORDS: ReadonlyArray<readonly [RegExp, Cause]> = [
	[/\bplease log ?in first\b/i, 'PartnerSignIn'],
	[/\bPayment Required\b|\badd credits to your account\b/i, 'InsufficientFundsError'],
	[/\bRate Limit Exceeded\b/i, 'PartnerRateLimit'],
];

/** Returns the code of the advice for the exception. */
function findCause(reason: JobError): unknown {
	if (isOutOfMemory(reason)) return 'OOMError' satisfies Cause;
	const said = reason.message.slice(0, LONGEST_REASON);
	const partner = PARTNER_WORDS.find(([pattern]) => pattern.test(said));
	if (partner !== undefined) return partner[1];
	return isNetworkFailure(reason) ? ('NetworkError' satisfies Cause) : reason.exception_type;
}

function shortTraceback(traceback: string): string {
	const lines = traceback.trimEnd().split('\n');
	const shown = lines.slice(-MOST_TRACEBACK_LINES).map((line) => shorten(line.trimEnd(), LONGEST_TRACEBACK_LINE));
	return failureDetail.traceback(shown.join('\n'), shown.length < lines.length ? failureDetail.shortened(shown.length, lines.length) : '');
}

const isCause = (code: string): code is Cause => Object.hasOwn(failureAdvice, code);

/** Returns the advice for the job's error code and for its exception. */
function adviceFor(reason: JobError | null): string[] {
	const codes = new Set([reason?.code, reason === null ? undefined : findCause(reason)].map(String));
	const known = [...codes].filter(isCause);
	if (known.length > 0) return known.map((code) => failureAdvice[code]);
	return [reason?.node_id == null ? correctAndSubmit.workflow : correctAndSubmit.node];
}

/** Returns how messages name an output: its file and its node. */
export const outputName = ({ name, node_id: nodeId }: JobOutput): string => `"${name}"${nodeId === '' ? '' : ` of node ${nodeId}`}`;

const LONGEST_NAME = 120;

/** Names the outputs that a failed job has finished, because they are paid for. */
const finishedOutputs = ({ outputs }: Job): string =>
	outputs.length === 0 ? '' : failureDetail.finished(outputs.map((output) => shorten(outputName(output), LONGEST_NAME)));

function detailsOf({ code, traceback }: JobError): string[] {
	return [code && failureDetail.code(code), traceback && shortTraceback(traceback)].filter((line): line is string => Boolean(line));
}

/** Returns the words for a job that ended without success, for people. */
function wordsForPeople(job: Job, context: FailureContext): Words {
	const { job_id: id, job_error: reason, status } = job;
	const finished = finishedOutputs(job);
	const onRetry = retryAdvice[context.retryEffect ?? 'readsJob'];
	if (isForgotten(job, context))
		return messages.JOB_FORGOTTEN(job.server === undefined ? 'ComfyUI' : `The server ${job.server}`, id, finished, onRetry);
	if (status === 'expired') return messages.JOB_EXPIRED(id, finished, onRetry);
	if (status === 'canceled') return messages.JOB_CANCELED(id, finished, retryAdvice.readsJob);
	const advice = [...adviceFor(reason), onRetry];
	if (reason === null) return messages.JOB_FAILED_WITHOUT_REASON(id, job.service_status, finished, advice);
	const details = [...advice, ...detailsOf(reason)];
	if (reason.node_id === null) return messages.JOB_FAILED(id, reasonOf(reason), finished, details);
	const node = nodeName(reason.node_id, { className: reason.class_type, title: context.title });
	return messages.JOB_FAILED_AT_NODE(id, node, reasonOf(reason), finished, details);
}

/** Returns the words for a job that ended without success. */
export function failedJobWords(job: Job, { isTool = false, ...context }: FailureContext = {}): Words {
	const words = wordsForPeople(job, context);
	if (!isTool) return words;
	return withAdvice(words, finishedOutputs(job), ...(job.status === 'failed' ? adviceFor(job.job_error) : []), forModel.calledAgain);
}

/** Statuses of the service, or of its storage, that will not change. */
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Whether the server no longer has a file. */
export const isGone = (cause: unknown): boolean =>
	(cause instanceof ApiError && GONE.has(cause.status)) ||
	(cause instanceof UnreadableAnswerError && GONE.has(cause.status) && cause.facts.reason !== 'html');

/** Why the end of a wait did not go as planned. */
export interface WaitFailures {
	/** Why the job could not be canceled, if *Cancel Job After Max Wait* is on. */
	cancel?: string;
	/** Why the latest read of the job failed. */
	read?: string;
}

/** Returns one sentence for each failure. */
export const describeFailures = ({ cancel, read }: WaitFailures): string =>
	(cancel === undefined ? '' : waitFailure.cancel(cancel)) + (read === undefined ? '' : waitFailure.read(read));

/** Returns a moment as `2026-11-26 20:14:05 UTC`. */
const atTime = (moment: number): string => `${new Date(moment).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const inMinutes = (milliseconds: number): string => {
	const seconds = Math.round(milliseconds / 1_000);
	return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
};

/** What to do after a request that was given up because the server gave no answer. */
export const adviceOnSilence = ({ since, hadWork }: Silence): string =>
	hadWork ? silenceAdvice.withWork(atTime(since)) : silenceAdvice.atStart;

/** @param last the words for the latest failed read. */
export function unreadableJobWords({ jobId, forMs, since, address }: UnreadableJobError, last: Words, credential?: NamedCredential): Words {
	const server = address === undefined ? 'the server' : enteredAddress(address, credential);
	return messages.JOB_UNREADABLE(jobId, inMinutes(forMs), last.message, server, atTime(since), last.advice);
}
