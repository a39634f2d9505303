import { throwIfStopped } from '../async/stoppableWait';
import { clock } from '../async/clock';
import { StoppedError } from '../errors/errors';
import { isTerminal, type Job, type JobEvent, toJobId } from '../ports/job';
import { logDecision } from '../log/observer';
import type { JobService } from '../ports/jobService';
import { STOP_LIMIT_MS, withGrace } from '../async/grace';
import { ExchangeLimits } from '../transport/limits';
import { outcomeOf } from '../async/outcome';
import { retryAfterOf } from '../contact/failures';
import { longerPauseMs, POLICIES } from '../contact/policy';
import { LiveStream } from './liveStream';
import { type JobPoller, jobPollerOf, PolledJob } from './jobPoller';
import { type JobDurations, WatchedJob } from './watchedJob';

/** After the stream reported the end of a job, the read may still show it as running for a moment. */
const AFTER_END_INTERVAL_MS = 50;
/** An open stream may still miss the end of the job. */
const SAFETY_READ_MS = 30_000;

export interface WaitOptions {
	/** `live`: an event stream if the service grants one, and reads. `polling`: only reads. */
	mode: 'live' | 'polling';
	maxWaitMs: number;
	/** Ends the wait with a StoppedError. */
	signal?: AbortSignal;
	/** Fires with `signal`, and when n8n shuts down. Then the wait ends as if `maxWaitMs` were over, and cancels nothing. */
	shutdownSignal?: AbortSignal;
	/** Cancels the job when the wait is stopped (true). */
	cancelOnStop?: boolean;
	/** Cancels the job when `maxWaitMs` is over (false). */
	cancelOnTimeout?: boolean;
	/** The answer to the submission of the job, which replaces the first read. */
	submitted?: Job;
	/** Called in live mode only. */
	onEvent?: (event: JobEvent) => void;
	/** Called with each state of the job that is read or listed, except its end, which is the result. */
	onRead?: (job: Job) => void;
}

export interface WaitOutcome extends JobDurations {
	/** The job as last read, or as the cancel on timeout answered. */
	job: Job;
	/** False if `maxWaitMs` was over first. */
	finished: boolean;
	/** Why the cancel on timeout failed. The job may still run. */
	cancelError?: unknown;
	/** Why the latest read before `maxWaitMs` was over failed, if it did. The job may have ended since. */
	readError?: unknown;
}

/**
 * Waits until a job has ended, by live events and reads, or by reads alone. All waits of one connection share what the
 * service grants.
 * @throws StoppedError when the signal fires or the connection is closed, before any request if that was before. The error of the read if the job is
 *   unknown or not ours, or could not be read once within `maxWaitMs`. UnreadableJobError if reads have failed for minutes.
 */
export async function waitForJob(jobs: JobService, jobId: string, options: WaitOptions): Promise<WaitOutcome> {
	throwIfStopped(options.signal);
	const poller = jobPollerOf(jobs.identity);
	const limits = new ExchangeLimits({ signal: options.shutdownSignal ?? options.signal, totalMs: options.maxWaitMs }, jobs.closed);
	logDecision({ kind: 'wait_started', jobId, mode: options.mode, maxWaitMs: options.maxWaitMs });
	const watched = new WatchedJob(jobs, jobId, poller.reads, options.onRead, options.submitted);
	const outcome = await outcomeOf(waitUntilEnded(watched, poller, options, limits.signal));
	limits.release();
	const toResult = (result: Omit<WaitOutcome, keyof JobDurations>): WaitOutcome => ({ ...result, ...watched.durationsOf(result.job) });
	if (outcome.ok) return toResult({ job: outcome.value, finished: true });
	if (options.signal?.aborted) {
		if (options.cancelOnStop ?? true) await outcomeOf(cancel(jobs, watched.job ?? jobId, 'stopped'));
		throw new StoppedError();
	}
	if (!limits.signal.aborted || jobs.closed.aborted) throw outcome.error;
	const isShuttingDown = options.shutdownSignal?.aborted === true;
	if (!watched.job) throw isShuttingDown ? new StoppedError() : watched.readError;
	if (isShuttingDown) return toResult({ job: watched.job, finished: false });
	return toResult({ ...(await handleTimeout(jobs, watched.job, options)), readError: watched.readError });
}

/** @param signal fires when the wait is stopped, or when its time is over. @throws StoppedError then. */
async function waitUntilEnded(watched: WatchedJob, poller: JobPoller, options: WaitOptions, signal: AbortSignal): Promise<Job> {
	const { mode, onEvent } = options;
	const { wait: policy } = POLICIES;
	const polled = new PolledJob(watched, signal);
	let stream: LiveStream | undefined;
	let intervalMs = policy.firstMs;
	poller.join(polled);
	try {
		const needsFirstRead = watched.job === undefined || isTerminal(watched.job.status);
		let hasEnded = needsFirstRead && (await readFirst(watched, options));
		while (!hasEnded) {
			if (mode === 'live' && watched.job) stream ??= openStream(watched, poller, polled, onEvent);
			const pauseMs = stream?.isAlive ? SAFETY_READ_MS : (retryAfterOf(watched.readError) ?? intervalMs);
			const isDue = await poller.pause(polled, pauseMs);
			if (!isDue && stream?.isAlive) continue;
			hasEnded = await watched.read(signal);
			if (isDue) intervalMs = longerPauseMs(policy, intervalMs);
			else intervalMs = stream?.hasEnded ? AFTER_END_INTERVAL_MS : policy.firstMs;
		}
		poller.speedUp();
		return watched.job as Job;
	} finally {
		stream?.close();
		poller.leave(polled);
	}
}

/** `maxWaitMs` does not interrupt the first read, so that even a wait of 0 ms returns the state of the job. */
async function readFirst(watched: WatchedJob, { signal, shutdownSignal }: WaitOptions): Promise<boolean> {
	const readUntil = async (later: AbortSignal): Promise<boolean> =>
		await watched.read(signal === undefined ? later : AbortSignal.any([signal, later]));
	if (shutdownSignal === undefined) return await watched.read(signal);
	return shutdownSignal.aborted
		? await readUntil(clock.signalAfter(STOP_LIMIT_MS))
		: await withGrace(shutdownSignal, STOP_LIMIT_MS, readUntil);
}

function openStream(watched: WatchedJob, { streams }: JobPoller, polled: PolledJob, onEvent: WaitOptions['onEvent']): LiveStream {
	const handleEvent = (event: JobEvent): void => {
		const passedOn = watched.handleEvent(event);
		onEvent?.(passedOn);
	};
	return new LiveStream(streams, watched.jobs, watched.job as Job, { onEvent: handleEvent, onChange: () => polled.wake(false) });
}

async function handleTimeout(jobs: JobService, job: Job, { cancelOnTimeout }: WaitOptions): Promise<Omit<WaitOutcome, keyof JobDurations>> {
	logDecision({ kind: 'wait_timed_out', jobId: job.job_id, status: job.status });
	if (!cancelOnTimeout) return { job, finished: false };
	const canceled = await outcomeOf(cancel(jobs, job, 'timed_out'));
	if (canceled.ok) return { job: canceled.value, finished: isTerminal(canceled.value.status) };
	return { job, finished: false, cancelError: canceled.error };
}

/** Uses a signal of its own, because the caller's signal has fired. */
async function cancel(jobs: JobService, job: Job | string, because: 'stopped' | 'timed_out'): Promise<Job> {
	logDecision({ kind: 'cancel_requested', jobId: toJobId(job), because });
	return await jobs.cancel(job, { signal: clock.signalAfter(STOP_LIMIT_MS) });
}
