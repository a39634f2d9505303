import { defineMessages, joinNames, MOST_CHOICES } from '../words';

const SERVICE_SIDE =
	'The cause is in the service. Submit the workflow again. If it happens again, send the job ID to the support of the service.';

const RETRY_READS = 'A retry of this execution reads the same job';
const NEW_EXECUTION = 'To submit a new job, start a new execution.';
const CHOOSE_ALWAYS = 'To let retries run the job again and pay for it again, set Run Failed Jobs Again to Always.';
const REPORT_LATER =
	'If the server can be away for longer, add the option Report A Lost Server After (Minutes) and enter more minutes, or 0 for no limit.';

/** What a retry does with a job that has no result. It reads the same job, unless *Run Failed Jobs Again* lets it run again. */
export const retryAdvice = {
	runsAgain: 'A retry of this execution runs the job again, with the same seeds.',
	optionIsOff: `${RETRY_READS}. ${NEW_EXECUTION} To let retries run failed jobs again, set Run Failed Jobs Again in Options.`,
	customKey: `${RETRY_READS}, because Idempotency Key is Custom. To run it again, enter a different key and start a new execution.`,
	billedService: `${RETRY_READS}, because the service may bill each run. ${CHOOSE_ALWAYS}`,
	partnerNodes: `${RETRY_READS}, because the workflow has partner nodes, which cost money. ${CHOOSE_ALWAYS}`,
	unknownNodes: `${RETRY_READS}, because ComfyUI did not report whether the workflow has partner nodes, which cost money. ${CHOOSE_ALWAYS} If ComfyUI is behind the API proxy, you can enter ComfyUI Address in the credential instead.`,
	noWorkflow: `${RETRY_READS}, because the server does not return its workflow. ${NEW_EXECUTION} Comfy Run Workflow can run such a job again.`,
	/** The node does not have the option, or a person canceled the job. */
	readsJob: `${RETRY_READS}. ${NEW_EXECUTION}`,
};

/** What to do after a failed job, by the code of the job or by its cause. */
export const failureAdvice = {
	ValidationError: 'Correct the inputs of the workflow, then submit it again.',
	ModelDownloadError:
		'A model of the workflow is missing on the server or could not be downloaded. Check its name, or choose another model, then submit the workflow again.',
	ImageDownloadError:
		'An input image could not be downloaded. Check that its address is public, or send the file with Files of Comfy Run Workflow or with Comfy Upload Asset. Then submit the workflow again.',
	OOMError: 'The GPU does not have enough memory. Use smaller images, fewer frames or a smaller batch, then submit the workflow again.',
	NetworkError:
		'The ComfyUI node could not connect to a server. Check the internet connection of the computer that runs ComfyUI. If it works, the other server is not available: submit the workflow again later.',
	PartnerSignIn:
		'This partner node needs an account of ComfyUI. In the node that submits the workflow, turn on Send Key To Partner Nodes in Options. Enter the key under Partner API Key or Partner Auth Token in the credential. Then submit the workflow again.',
	PartnerRateLimit:
		'The service of the partner node accepts no more requests for now. Submit the workflow again later, or run fewer items at the same time.',
	InsufficientFundsError:
		'The balance is too low for the partner nodes of this workflow. Add credits to the account, then submit it again.',
	InactiveSubscriptionError: 'The account has no active subscription. Activate it in your account, then submit the workflow again.',
	PanicError: SERVICE_SIDE,
	ServiceError: SERVICE_SIDE,
	WebSocketError: SERVICE_SIDE,
	DispatcherError: SERVICE_SIDE,
	non_retryable_error: 'A retry returns the same result. Correct the workflow or its inputs, then submit it again.',
	forgotten_by_engine:
		'ComfyUI keeps its jobs only in memory. Files that it saved may still be in its output folder. Submit the workflow again.',
	lost: 'The server lost the job before it finished. Submit the workflow again.',
};

/** What to do after a failed job with an unknown code. */
export const correctAndSubmit = {
	node: 'Correct this node in the workflow or its inputs, then submit it again.',
	workflow: 'Correct the workflow or its inputs, then submit it again.',
};

/** More facts about a failed job. */
export const failureDetail = {
	/** The outputs are paid for. */
	finished: (outputs: string[]): string =>
		`Finished before the failure: ${joinNames(outputs)}. Comfy Download Outputs returns them for this job ID.`,
	code: (code: string): string => `Error code of the job: ${code}`,
	traceback: (lines: string, shortened: string): string => `Traceback${shortened}: ${lines}`,
	shortened: (shown: number, all: number): string => ` (the last ${shown} of ${all} lines; job_error has all of them)`,
};

/** Why the end of a wait did not go as planned. */
export const waitFailure = {
	cancel: (reason: string): string => `The job could not be canceled: ${reason}. `,
	read: (reason: string): string => `Its latest status could not be read: ${reason}. `,
};

/** What to do about a server that did not respond. */
export const silenceAdvice = {
	/** @param since for example `2026-11-26 20:14:05 UTC`. */
	withWork: (since: string): string =>
		`There was no usable answer since ${since}. When the server responds again, retry this execution: jobs that were submitted are not submitted again. ${REPORT_LATER}`,
	atStart: 'If the server needs time to start, add the option Wait For Server (Minutes) and enter more minutes.',
};

const reads = (jobId: string, span: string, reason: string): string => `Job ${jobId} could not be read for ${span}: ${reason}`;

/** Jobs: their ends, waiting for them, and lists of them. `finished` names outputs of the job, `retry` says what a retry does. */
export const jobs = defineMessages({
	/** @param by the server or `ComfyUI`. */
	JOB_FORGOTTEN: (by: string, jobId: string, finished: string, retry: string) => [
		`${by} no longer has job ${jobId}: it was restarted, its history was cleared, or the job was removed from its queue`,
		finished,
		failureAdvice.forgotten_by_engine,
		retry,
	],
	JOB_EXPIRED: (jobId: string, finished: string, retry: string) => [
		`Job ${jobId} has expired`,
		finished,
		'The server no longer stores its results. Submit the workflow again.',
		retry,
	],
	JOB_CANCELED: (jobId: string, finished: string, retry: string) => [
		`Job ${jobId} was stopped before it finished`,
		finished,
		'A person or a stopped execution canceled it. If this was not intended, submit the workflow again.',
		retry,
	],
	JOB_FAILED_WITHOUT_REASON: (jobId: string, status: string, finished: string, advice: string[]) => [
		`Job ${jobId} ended with status "${status}"`,
		finished,
		...advice,
	],
	JOB_FAILED: (jobId: string, reason: string, finished: string, advice: string[]) => [
		`Job ${jobId} did not succeed: ${reason}`,
		finished,
		...advice,
	],
	JOB_FAILED_AT_NODE: (jobId: string, node: string, reason: string, finished: string, advice: string[]) => [
		`Job ${jobId} stopped at node ${node}: ${reason}`,
		finished,
		...advice,
	],
	JOB_LOST_ITS_OUTPUTS: (jobId: string, advice: string) => [
		`Job ${jobId} succeeded, but the server no longer lists its files`,
		`The files exist and are billed. Look for them in your account. ${advice}`,
	],
	JOB_NOT_FINISHED: (jobId: string, status: string) => [
		`Job ${jobId} has not finished yet (status "${status}")`,
		'Place Comfy Wait For Job before this node.',
	],
	/** @param failures why the end of the wait did not go as planned. */
	JOB_STILL_RUNNING: (jobId: string, failures: string) => [
		`Job ${jobId} did not finish within Max Wait, and Still Running is not connected`,
		`${failures}The job continues. Connect Still Running to a Comfy Wait For Job node, or raise Max Wait (Minutes). A retry of this execution waits for the same job again, and nothing is run twice.`,
	],
	/** A hint: the job leaves through *Still Running*, or goes to the model of an agent. */
	JOB_RUNS_AFTER_MAX_WAIT: (jobId: string, failures: string) => [`Job ${jobId} may still run after Max Wait`, failures.trim()],
	JOB_STOPPED_AFTER_MAX_WAIT: (jobId: string) => [
		`Job ${jobId} did not finish within Max Wait, and the node stopped it`,
		`Raise Max Wait (Minutes), or turn off Cancel Job After Max Wait. ${retryAdvice.readsJob}`,
	],
	/** The service had the workflow when the job failed, and has lost it since. */
	JOB_WORKFLOW_LOST: (jobId: string) => [
		`Job ${jobId} cannot run again, because the server no longer returns its workflow`,
		'Start a new execution. Comfy Run Workflow can run such a job again, because it does not need the workflow from the server.',
	],
	/** @param reason, advice of the latest failed read. */
	JOB_UNREADABLE: (jobId: string, span: string, reason: string, server: string, since: string, advice: string) => [
		reads(jobId, span, reason),
		`There was no usable answer from ${server} since ${since}. The job may still be running: it was not canceled.`,
		'When the server responds again, retry this execution: the node continues with this job and submits nothing. You can also wait for the job by its ID.',
		advice,
		REPORT_LATER,
	],
	WATCHED_JOB_NOT_FOUND: (jobId: string) => [
		`The server has no job with the ID ${jobId}`,
		'Correct or remove it under Job IDs. The job may belong to another account or server, or its retention time may be over.',
	],
	WORKFLOW_ID_MISSING: (filter: string) => [
		'This n8n workflow has no ID yet, because it is not saved',
		`Save the workflow, or remove the filter ${filter}.`,
	],
	/** A hint. */
	JOB_LIST_SHORT: () => [
		'This server lists only its newest 100 jobs, and the newest 100 jobs of each status',
		'Older jobs may exist. If you have the ID of a job, read it with Get.',
	],
	/** A hint. */
	JOB_FINISHED_BEFORE_CANCEL: (jobId: string, status: string) => [
		`Job ${jobId} finished before the request to cancel it (status "${status}")`,
	],
	/** A hint. */
	JOB_NOT_CANCELED_BY_V1: (jobId: string, status: string) => [
		`Job ${jobId} has not stopped yet (status "${status}")`,
		'The v1 interface may cancel only waiting jobs. The operation Interrupt of the resource Queue stops it, but also stops every other running job of the account.',
	],
	/** A hint. */
	JOB_NOT_CANCELED_YET: (jobId: string, status: string) => [
		`Job ${jobId} received the request to cancel, but has not stopped yet (status "${status}")`,
		'Check its status again later.',
	],
	/** A hint. */
	RUNNING_JOBS_NOT_REMOVED: (jobIds: string[]) => [
		'This operation removes only waiting jobs from the queue',
		`These jobs are still running: ${joinNames(jobIds, MOST_CHOICES)}.`,
	],
});

/** What the result of a tool asks the model of an AI agent to do next. */
export const forModel = {
	askAgain:
		'The job is still running. Check it again later with this job_id, if you have a tool that waits for jobs or gets them. If you have no such tool, give the user this job_id. Do not run the workflow again: that would create and bill a second job.',
	askLater:
		'The job is still running, but n8n is shutting down. Do not check the job now, and do not run the workflow again: that would create and bill a second job. Give the user this job_id: it gives access to the files later.',
	filesById:
		'The files are stored on the server, and you do not receive them. The n8n workflow can deliver them with this job_id. Give the user the job_id. Do not show images and do not invent links.',
	/** Behind the MCP Server Trigger of n8n, calls with equal fields share one job. */
	calledAgain:
		'If you call the tool again with other fields, it creates a new job, which may also be billed. With the same fields, it may return this job again.',
};
