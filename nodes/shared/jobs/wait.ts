import type { IDataObject } from 'n8n-workflow';

import { clock, isTerminal, type Job, outcomeOf, StoppedError, waitForJob, type WaitOutcome } from '../../../client';
import { isOutputConnected } from '../execution/hostContext';
import { describeFailures, type RetryEffect } from '../explain/jobs';
import { wordsFor } from '../explain/wordsFor';
import { addHint } from '../hints';
import { messages } from '../messages/catalogue';
import { forModel } from '../messages/topics/jobs';
import { ifStillRunningNotConnected } from '../descriptions/jobFields';
import { ItemFault, requireChoice, STILL_RUNNING } from '../itemFault';
import { readJobFault, toJobFields, toOutputFields, toOutputsFault } from './jobItems';
import { freeAfterJob, type FreeMemorySettings, rememberJob } from './freeMemory';
import { addTextsBehindProxy } from './textsBehindProxy';
import { toJobForModel, toOutputsForModel } from './jobForModel';
import { findNotDelivered, toNotDeliveredField } from './notDelivered';
import { isShuttingDown, isRunNode, type ItemContext } from '../operation';

export interface WaitSettings {
	jobId: string;
	mode: 'live' | 'polling';
	maxWaitMs: number;
	/** When Max Wait began, on `clock.now`. The time until a server has started counts as well. */
	startedAt: number;
	cancelOnStop: boolean;
	cancelOnTimeout: boolean;
	/** Whether the item fails if its job outlasts Max Wait and no node is connected to Still Running. */
	failsUnconnected: boolean;
	freeMemory: FreeMemorySettings;
}

export const STILL_RUNNING_OUTPUT = 1;

const LISTEN_ADVICE =
	'For later jobs, set How To Wait to Live and wait directly after Comfy Submit Workflow: the node then receives each file while the job runs.';

/** Comfy Run Workflow always listens while the job runs. */
const CONNECT_ADVICE =
	'The live connection to the service was interrupted while the job ran. Check that every proxy between n8n and the service allows WebSockets.';

export interface MaxWaitOptions {
	cancelOnTimeout?: boolean;
	ifStillRunningNotConnected?: unknown;
}

/** @throws ItemFault for an unknown choice, which an expression may return. */
export const readAfterMaxWait = (options: MaxWaitOptions): Pick<WaitSettings, 'cancelOnTimeout' | 'failsUnconnected'> => {
	const { cancelOnTimeout = false, ifStillRunningNotConnected: chosen = 'fail' } = options;
	const choice = requireChoice(chosen, ['fail', 'continue'], ifStillRunningNotConnected.displayName, ' in Options');
	return { cancelOnTimeout, failsUnconnected: choice === 'fail' };
};

/** Returns how much of Max Wait is left, in milliseconds. */
export const remainingWaitMs = ({ maxWaitMs, startedAt }: Pick<WaitSettings, 'maxWaitMs' | 'startedAt'>): number =>
	Math.max(0, maxWaitMs - (clock.now() - startedAt));

export interface WaitResult {
	job: Job;
	/** `queued_seconds` and `ran_seconds`; null if neither the service nor the wait knows the time. */
	times: IDataObject;
}

interface FailureHandling {
	/** Runs before the fault of a job that failed, and keeps what the job finished. */
	onFailed?(job: Job): Promise<void>;
	/** Returns what a retry does with a job that failed. */
	findRetryEffect(): Promise<RetryEffect>;
}

const secondsOf = (milliseconds: number | null): number | null => (milliseconds === null ? null : Math.round(milliseconds) / 1_000);

/**
 * Waits inside the node until the job has ended or Max Wait is over. A job that has not ended is returned only if something
 * continues with it, or if an option says so after Max Wait.
 * @param handling `submitted`: the job as its submission was answered, if that happened in this execution.
 * @throws ItemFault for a job that ended without success, and for a job that has not ended and is not returned.
 */
export async function waitForEnd(context: ItemContext<WaitSettings>, handling: FailureHandling & { submitted?: Job }): Promise<WaitResult> {
	const { submitted } = handling;
	const { connection, settings: wait, signal, shutdownSignal, progress } = context;
	progress.setJobId(wait.jobId);
	rememberJob(context, wait.jobId, submitted?.server);
	const ended = await outcomeOf(
		waitForJob(connection.jobs, wait.jobId, {
			...wait,
			maxWaitMs: remainingWaitMs(wait),
			signal,
			shutdownSignal,
			submitted,
			onRead: ({ job_id, server }) => {
				progress.confirmJob(job_id);
				rememberJob(context, wait.jobId, server);
			},
		}),
	);
	if (!ended.ok)
		throw isShuttingDown(context) && ended.error instanceof StoppedError
			? new ItemFault(messages.SHUTDOWN_DURING_WAIT(wait.jobId))
			: ended.error;
	const { job, queuedMs, ranMs } = ended.value;
	progress.confirmJob(job.job_id);
	if (isShuttingDown(context) && !isTerminal(job.status) && !isContinued(context))
		throw new ItemFault(messages.SHUTDOWN_DURING_WAIT(job.job_id));
	await freeAfterJob(context, job);
	context.endTurn();
	if (isTerminal(job.status)) await checkNotFailed(context, job, handling);
	else checkContinued(context, ended.value);
	const times = { queued_seconds: secondsOf(queuedMs), ran_seconds: secondsOf(ranMs) };
	return { job: await addTextsBehindProxy(context, job), times };
}

/** @throws ItemFault for a job that ended without success, or whose outputs the service no longer lists. */
async function checkNotFailed(context: ItemContext<WaitSettings>, job: Job, { onFailed, findRetryEffect }: FailureHandling): Promise<void> {
	const { execution, isTool, progress, settings: wait } = context;
	if (job.outputs_unavailable) {
		progress.endJob(toJobFields(job));
		throw toOutputsFault(job, isRunNode(execution) ? CONNECT_ADVICE : LISTEN_ADVICE);
	}
	if (job.status === 'succeeded') return;
	progress.endJob({
		...toJobFields(job),
		...(isTool
			? await toOutputsForModel(context, job)
			: { outputs: job.outputs.map(toOutputFields), job_error: job.job_error as IDataObject | null }),
	});
	if (job.outputs.length > 0) progress.add(toNotDeliveredField(await findNotDelivered(context, { job, outputs: job.outputs })));
	if (!isTool) await onFailed?.(job);
	const isStoppedByWait = job.status === 'canceled' && wait.cancelOnTimeout && remainingWaitMs(wait) === 0;
	throw isStoppedByWait && !isTool ? stoppedAfterMaxWait(job.job_id) : await readJobFault(context, job, await findRetryEffect());
}

const stoppedAfterMaxWait = (jobId: string): ItemFault => new ItemFault(messages.JOB_STOPPED_AFTER_MAX_WAIT(jobId));

/** @throws ItemFault for a job that has not ended, if no execution would show that its result is missing. */
function checkContinued(context: ItemContext<WaitSettings>, { job, cancelError, readError }: WaitOutcome): void {
	const { execution, credential, progress, settings: wait } = context;
	const messageOf = (error: unknown): string | undefined => (error === undefined ? undefined : wordsFor(error, credential).message);
	const failures = describeFailures({ cancel: messageOf(cancelError), read: messageOf(readError) });
	if (wait.failsUnconnected && !isContinued(context)) {
		progress.add(toJobFields(job));
		const isStopped = wait.cancelOnTimeout && cancelError === undefined;
		throw isStopped
			? stoppedAfterMaxWait(job.job_id)
			: new ItemFault(messages.JOB_STILL_RUNNING(job.job_id, failures), { code: STILL_RUNNING });
	}
	if (failures !== '') addHint(execution, messages.JOB_RUNS_AFTER_MAX_WAIT(job.job_id, failures));
}

/** Whether a later node, or the model of an agent, continues with a job that has not ended. */
const isContinued = ({ execution, isTool }: ItemContext<WaitSettings>): boolean =>
	isTool || isOutputConnected(execution, STILL_RUNNING_OUTPUT);

/** What the model of an agent reads about a job that may not have ended. */
export async function toWaitedJobForModel(context: ItemContext<unknown>, job: Job): Promise<IDataObject> {
	const described = await toJobForModel(context, { job, outputs: job.outputs });
	return isShuttingDown(context) && !isTerminal(job.status) ? { ...described, next: forModel.askLater } : described;
}
