import type { Job, JobError } from '../../../client';
import { CALLED_AGAIN } from './agent';
import { nodeName } from './nodeName';
import { shortened, shortenedToEnd } from './shown';

const SERVICE_SIDE = 'The cause lies in the service. Submit the workflow again; if it happens again, tell the service’s support the job id.';

const OUT_OF_MEMORY = 'OOMError';

/** What an engine does not know any more. */
const FORGOTTEN = 'forgotten_by_engine';

/** What is paid for is the result of its item, well or badly. */
const ANEW = 'Retrying this execution looks at the same job again: to run it anew, start a new execution.';

/** Its end tells what went wrong; all of it is in the data. */
const LONGEST_TRACEBACK = 4_000;
/** Beside it stands where it was, and what to do. */
const LONGEST_REASON = 800;

/** How to go on after a job that ended badly, by the code of its end; other codes say where to look in the workflow. */
const adviceByCode: Record<string, string> = {
	ValidationError: 'Correct the inputs of the workflow, then submit it again.',
	ModelDownloadError: 'A model that the workflow names is missing in the service or could not be fetched. Check its name, or choose another model, then submit it again.',
	ImageDownloadError: 'An input image could not be fetched from its address. Check that the internet can reach it, or send the file with Comfy Upload Asset, then submit the workflow again.',
	[OUT_OF_MEMORY]: 'The GPU had too little memory. Use smaller pictures, fewer frames or a smaller batch, then submit the workflow again.',
	InsufficientFundsError: 'The balance is too low for the partner nodes of this workflow. Add credits to the account, then submit it again.',
	InactiveSubscriptionError: 'The account has no active subscription. Activate it in the account, then submit the workflow again; waiting does not help.',
	PanicError: SERVICE_SIDE,
	ServiceError: SERVICE_SIDE,
	WebSocketError: SERVICE_SIDE,
	DispatcherError: SERVICE_SIDE,
	non_retryable_error: 'Retrying will not help. Correct the workflow or its inputs first.',
	[FORGOTTEN]: 'An engine keeps its jobs in memory only. What it saved may still lie in its output folder. Submit the workflow again.',
	lost: 'The job disappeared in the service before finishing. Submit the workflow again.',
};

/** An exception that says nothing has at least a name; a code of the service's own names none. */
const reasonOf = ({ message, exception_type: type, code }: JobError): string =>
	shortened(message.trim() || (typeof type === 'string' && type) || (/(Error|Exception)$/.test(code) ? code : ''), LONGEST_REASON);

/** @param title of the node at which it ended, where that is known. */
export function failureMessage(job: Job, title?: string): string {
	const { job_error: reason } = job;
	if (reason?.code === FORGOTTEN) return `Job ${job.job_id} is not known to ComfyUI any more: it was restarted, its history was cleared, or somebody took the job out of its queue`;
	if (job.status === 'expired') return `Job ${job.job_id} has expired`;
	if (job.status === 'canceled') return `Job ${job.job_id} was canceled`;
	if (reason === null) return `Job ${job.job_id} ended with status "${job.service_status}"`;
	if (reason.node_id === null) return `Job ${job.job_id} did not succeed: ${reasonOf(reason)}`;
	return `Job ${job.job_id} stopped at node ${nodeName(reason.node_id, { className: reason.class_type, title })}: ${reasonOf(reason)}`;
}

/** PyTorch's class has moved, and v2 has one code for whatever a node throws: then the text or the traceback tells. */
function isOutOfMemory({ code, exception_type: type, message, traceback }: JobError): boolean {
	if ([code, type].some((name) => /(^|\.)(OOMError|OutOfMemoryError)$/.test(String(name)))) return true;
	return /\bout of memory\b|would exceed allowed memory/i.test(message) || /\bOutOfMemoryError\b/.test(traceback ?? '');
}

/** How a job ended may have a code beside the one of what went wrong in it. */
function wayOn({ job_error: reason }: Job): string[] {
	const codes = new Set([reason?.code, reason !== null && isOutOfMemory(reason) ? OUT_OF_MEMORY : reason?.exception_type].map(String));
	const known = [...codes].filter((code) => Object.hasOwn(adviceByCode, code));
	if (known.length > 0) return known.map((code) => adviceByCode[code] as string);
	const where = reason?.node_id == null ? 'the workflow' : 'this node in the workflow';
	return [`Correct ${where} or its inputs, then submit it again.`];
}

/** A model can do nothing with a traceback, and an execution is not its to retry. */
export const failureAdviceForModel = (job: Job): string => [...(job.status === 'failed' ? wayOn(job) : []), CALLED_AGAIN].join('\n');

export function failureAdvice(job: Job): string {
	const { job_error: reason } = job;
	if (reason?.code === FORGOTTEN) return [...wayOn(job), ANEW].join('\n');
	if (job.status === 'expired') return `Its results are no longer kept. Submit the workflow again.\n${ANEW}`;
	if (job.status === 'canceled') return `Somebody, or a stopped execution, canceled it. Submit the workflow again if it was not meant.\n${ANEW}`;
	const lines = [...wayOn(job), ANEW];
	if (reason?.code) lines.push(`Code: ${reason.code}.`);
	if (reason?.traceback) lines.push(`Traceback: ${shortenedToEnd(reason.traceback, LONGEST_TRACEBACK)}`);
	return lines.join('\n');
}
