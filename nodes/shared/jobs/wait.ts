import type { IDataObject } from 'n8n-workflow';

import { clock, isTerminal, type Job, outcomeOf, StoppedError, waitForJob, type WaitOutcome } from '../../../client';
import { isOutputConnected } from '../execution/hostContext';
import { describeFailures, type RetryEffect } from '../explain/jobs';
import { wordsFor } from '../explain/wordsFor';
import { addHint } from '../hints';
import { messages } from '../messages/catalogue';
import { forModel } from '../messages/topics/jobs';
import { readJobFault, toJobFields, toOutputFields, toOutputsFault } from './jobItems';
import type { SettingsOf } from '../options';
import { freeAfterJob, type FreeMemorySettings, rememberJob } from './freeMemory';
import type { afterMaxWaitOptions } from './waitOptions';
import { addTextsBehindProxy } from './textsBehindProxy';
import { toJobForModel, toOutputsForModel } from './jobForModel';
import { findNotDelivered, toNotDeliveredField } from './notDelivered';
import { isShuttingDown, isRunNode, type ItemRun } from '../operation';
import { ItemFault, STILL_RUNNING } from '../itemFault';

export interface WaitSettings extends SettingsOf<typeof afterMaxWaitOptions> {
	mode: 'live' | 'polling';
	maxWaitMs: number;
	/** When Max Wait began, on `clock.now`. The time until a server has started counts as well. */
	startedAt: number;
	cancelOnStop: boolean;
	freeMemory: FreeMemorySettings;
}

export const STILL_RUNNING_OUTPUT = 1;

const LISTEN_ADVICE =
	'For later jobs, set How To Wait to Live and wait directly after Comfy Submit Workflow: the node then receives each file while the job runs.';

/** Comfy Run Workflow always listens while the job runs. */
const CONNECT_ADVICE =
	'The live connection to the service was interrupted while the job ran. Check that every proxy between n8n and the service allows WebSockets.';

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
export async function waitForEnd(
	item: ItemRun,
	jobId: string,
	wait: WaitSettings,
	handling: FailureHandling & { submitted?: Job },
): Promise<WaitResult> {
	const { submitted } = handling;
	const { connection, signal, shutdownSignal, progress } = item;
	progress.setJobId(jobId);
	rememberJob(item, jobId, submitted?.server);
	const ended = await outcomeOf(
		waitForJob(connection.jobs, jobId, {
			...wait,
			maxWaitMs: remainingWaitMs(wait),
			signal,
			shutdownSignal,
			submitted,
			onRead: ({ job_id, server }) => {
				progress.confirmJob(job_id);
				rememberJob(item, jobId, server);
			},
		}),
	);
	if (!ended.ok)
		throw isShuttingDown(item) && ended.error instanceof StoppedError ? new ItemFault(messages.SHUTDOWN_DURING_WAIT(jobId)) : ended.error;
	const { job, queuedMs, ranMs } = ended.value;
	progress.confirmJob(job.job_id);
	if (isShuttingDown(item) && !isTerminal(job.status) && !isContinued(item)) throw new ItemFault(messages.SHUTDOWN_DURING_WAIT(job.job_id));
	await freeAfterJob(item, wait.freeMemory, job);
	item.endTurn();
	if (isTerminal(job.status)) await checkNotFailed(item, wait, job, handling);
	else checkContinued(item, wait, ended.value);
	const times = { queued_seconds: secondsOf(queuedMs), ran_seconds: secondsOf(ranMs) };
	return { job: await addTextsBehindProxy(item, job), times };
}

/** @throws ItemFault for a job that ended without success, or whose outputs the service no longer lists. */
async function checkNotFailed(item: ItemRun, wait: WaitSettings, job: Job, { onFailed, findRetryEffect }: FailureHandling): Promise<void> {
	const { execution, isTool, progress } = item;
	if (job.outputs_unavailable) {
		progress.endJob(toJobFields(job));
		throw toOutputsFault(job, isRunNode(execution) ? CONNECT_ADVICE : LISTEN_ADVICE);
	}
	if (job.status === 'succeeded') return;
	progress.endJob({
		...toJobFields(job),
		...(isTool
			? await toOutputsForModel(item, job)
			: { outputs: job.outputs.map(toOutputFields), job_error: job.job_error as IDataObject | null }),
	});
	if (job.outputs.length > 0) progress.add(toNotDeliveredField(await findNotDelivered(item, { job, outputs: job.outputs })));
	if (!isTool) await onFailed?.(job);
	const isStoppedByWait = job.status === 'canceled' && wait.cancelOnTimeout && remainingWaitMs(wait) === 0;
	throw isStoppedByWait && !isTool ? stoppedAfterMaxWait(job.job_id) : await readJobFault(item, job, await findRetryEffect());
}

const stoppedAfterMaxWait = (jobId: string): ItemFault => new ItemFault(messages.JOB_STOPPED_AFTER_MAX_WAIT(jobId));

/** @throws ItemFault for a job that has not ended, if no execution would show that its result is missing. */
function checkContinued(item: ItemRun, wait: WaitSettings, { job, cancelError, readError }: WaitOutcome): void {
	const { execution, credential, progress } = item;
	const messageOf = (error: unknown): string | undefined => (error === undefined ? undefined : wordsFor(error, credential).message);
	const failures = describeFailures({ cancel: messageOf(cancelError), read: messageOf(readError) });
	if (wait.ifUnconnected === 'fail' && !isContinued(item)) {
		progress.add(toJobFields(job));
		const isStopped = wait.cancelOnTimeout && cancelError === undefined;
		throw isStopped
			? stoppedAfterMaxWait(job.job_id)
			: new ItemFault(messages.JOB_STILL_RUNNING(job.job_id, failures), { code: STILL_RUNNING });
	}
	if (failures !== '') addHint(execution, messages.JOB_RUNS_AFTER_MAX_WAIT(job.job_id, failures));
}

/** Whether a later node, or the model of an agent, continues with a job that has not ended. */
const isContinued = ({ execution, isTool }: ItemRun): boolean => isTool || isOutputConnected(execution, STILL_RUNNING_OUTPUT);

/** What the model of an agent reads about a job that may not have ended. */
export async function toWaitedJobForModel(item: ItemRun, job: Job): Promise<IDataObject> {
	const described = await toJobForModel(item, { job, outputs: job.outputs });
	return isShuttingDown(item) && !isTerminal(job.status) ? { ...described, next: forModel.askLater } : described;
}
