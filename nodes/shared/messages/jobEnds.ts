import type { Job } from '../../../client';

const SERVICE_SIDE = 'The cause lies in the service. Submit the workflow again; if it happens again, tell the service’s support the job id.';

/** What an engine does not know any more. */
const FORGOTTEN = 'forgotten_by_engine';

/** How to go on after a job that ended badly, by the code of its end; other codes say where to look in the workflow. */
const adviceByCode: Record<string, string> = {
	ValidationError: 'Correct the inputs of the workflow, then submit it again.',
	ModelDownloadError: 'A model that the workflow names is missing in the service or could not be fetched. Check its name, or choose another model, then submit it again.',
	ImageDownloadError: 'An input image could not be fetched from its address. Check that the internet can reach it, or send the file with Comfy Upload Asset, then submit the workflow again.',
	OOMError: 'The GPU had too little memory. Use smaller pictures, fewer frames or a smaller batch, then submit the workflow again.',
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

export function failureMessage(job: Job): string {
	const { job_error: reason } = job;
	if (reason?.code === FORGOTTEN) return `Job ${job.job_id} is not known to ComfyUI any more: it was restarted, its history was cleared, or somebody took the job out of its queue`;
	if (job.status === 'expired') return `Job ${job.job_id} has expired`;
	if (job.status === 'canceled') return `Job ${job.job_id} was canceled`;
	if (reason === null) return `Job ${job.job_id} ended with status "${job.service_status}"`;
	if (reason.node_id === null) return `Job ${job.job_id} did not succeed: ${reason.message}`;
	const name = reason.class_type === null ? reason.node_id : `${reason.node_id} (${reason.class_type})`;
	return `Job ${job.job_id} stopped at node ${name}: ${reason.message}`;
}

/** How a job ended may have a code beside the one of what went wrong in it. */
function wayOn({ job_error: reason }: Job): string[] {
	const codes = new Set([reason?.code, reason?.exception_type].map(String));
	const known = [...codes].filter((code) => Object.hasOwn(adviceByCode, code));
	if (known.length > 0) return known.map((code) => adviceByCode[code] as string);
	const where = reason?.node_id == null ? 'the workflow' : 'this node in the workflow';
	return [`Correct ${where} or its inputs, then submit it again.`];
}

export function failureAdvice(job: Job): string {
	const { job_error: reason } = job;
	if (reason?.code === FORGOTTEN) return wayOn(job).join('\n');
	if (job.status === 'expired') return 'Its results are no longer kept. Submit the workflow again.';
	if (job.status === 'canceled') return 'Somebody, or a stopped execution, canceled it. Submit the workflow again if it was not meant.';
	const lines = wayOn(job);
	if (reason?.code) lines.push(`Code: ${reason.code}.`);
	if (reason?.traceback) lines.push(reason.traceback);
	return lines.join('\n');
}
