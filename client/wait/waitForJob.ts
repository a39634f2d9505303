import { clock } from '../clock';
import { StoppedError } from '../errors';
import { isTerminal, type Job, type JobEvent, toJobId } from '../job';
import { logDecision, bindObserver } from '../observer';
import type { JobService } from '../ports';
import { throwIfStopped } from '../transport/delay';
import { STOP_LIMIT_MS, withGrace } from '../transport/grace';
import { ExchangeLimits } from '../transport/limits';
import { outcomeOf } from '../transport/outcome';
import { retryAfterOf } from '../transport/retry';
import type { JobDurations } from './jobTimes';
import { LiveStream } from './liveStream';
import { type SharedWait, sharedWaitOf } from './sharedWait';
import { FIRST_INTERVAL_MS, slower } from './times';
import { Waiter } from './waiter';
import { WatchedJob } from './watchedJob';

/** After the stream told of the end, the read may lag behind by a moment. */
const SETTLING_INTERVAL_MS = 50;
/** A stream that is alive may still miss the end. */
const SAFETY_READ_MS = 30_000;

export interface WaitOptions {
	/** `live`: one event stream where the service grants it, with reads behind it. */
	mode: 'live' | 'polling';
	maxWaitMs: number;
	/** Ends the wait with a StoppedError. */
	signal?: AbortSignal;
	/** Fires with `signal`, and when the wait is to end as if `maxWaitMs` were over; then nothing is canceled. */
	leaving?: AbortSignal;
	/** Cancels the job when the wait is stopped (true). */
	cancelOnStop?: boolean;
	/** Cancels the job when `maxWaitMs` is over (false). */
	cancelOnTimeout?: boolean;
	/** The job as its submission has just answered, which saves the first read. */
	submitted?: Job;
	/** Called in live mode only. */
	onEvent?: (event: JobEvent) => void;
	/** Called with whatever is read or listed of the job but its end, which is the result. */
	onRead?: (job: Job) => void;
}

export interface WaitResult extends JobDurations {
	/** As last read, or as the cancel on timeout answered. */
	job: Job;
	/** False when `maxWaitMs` was over first. */
	finished: boolean;
	/** Why the cancel on timeout failed: the job may still run. */
	cancelError?: unknown;
}

/**
 * Waits until a job has ended, by live events and authoritative reads, or by reads alone. All waits of one connection
 * share what the service grants. @see SharedWait
 * @throws StoppedError when the signal fires (without any request when it had fired before); the read's own error when
 *   the job is unknown, not ours, or could not be read once in `maxWaitMs`; UnreadableJobError when the service has
 *   failed over it for minutes.
 */
export const waitForJob = async (jobs: JobService, jobId: string, options: WaitOptions): Promise<WaitResult> =>
	await waitTogether(sharedWaitOf(jobs.identity), jobs, jobId, options);

/** The same among these others. */
export async function waitTogether(shared: SharedWait, jobs: JobService, jobId: string, options: WaitOptions): Promise<WaitResult> {
	throwIfStopped(options.signal);
	const limits = new ExchangeLimits({ signal: options.leaving ?? options.signal, totalMs: options.maxWaitMs });
	logDecision({ kind: 'wait_begins', jobId, mode: options.mode, maxWaitMs: options.maxWaitMs });
	const watched = new WatchedJob(jobs, jobId, shared, options.onRead, options.submitted);
	const outcome = await outcomeOf(follow(watched, shared, options, limits.signal));
	limits.release();
	const resultOf = (result: Omit<WaitResult, keyof JobDurations>): WaitResult => ({ ...result, ...watched.times.of(result.job) });
	if (outcome.ok) return resultOf({ job: outcome.value, finished: true });
	if (options.signal?.aborted) {
		if (options.cancelOnStop ?? true) await outcomeOf(cancel(jobs, watched.job ?? jobId, 'stopped'));
		throw new StoppedError();
	}
	if (!limits.signal.aborted) throw outcome.error;
	const isLeft = options.leaving?.aborted === true;
	if (!watched.job) throw isLeft ? new StoppedError() : watched.trouble;
	if (isLeft) return resultOf({ job: watched.job, finished: false });
	return resultOf(await timedOut(jobs, watched.job, options));
}

async function follow(watched: WatchedJob, shared: SharedWait, options: WaitOptions, patience: AbortSignal): Promise<Job> {
	const { mode, onEvent } = options;
	const waiter = new Waiter({
		jobs: watched.jobs,
		job: () => watched.job,
		onListed: bindObserver((job: Job) => watched.isListed(job)),
		signal: patience,
	});
	let stream: LiveStream | undefined;
	let intervalMs = FIRST_INTERVAL_MS;
	shared.turns.join(waiter);
	try {
		const isFresh = watched.job !== undefined && !isTerminal(watched.job.status);
		let ended = !isFresh && (await firstRead(watched, options));
		while (!ended) {
			if (mode === 'live' && watched.job) stream ??= openStream(watched, shared, waiter, onEvent);
			const calls = await shared.rest(waiter, stream?.isAlive ? SAFETY_READ_MS : (retryAfterOf(watched.trouble) ?? intervalMs));
			const isOnlyChanged = calls.has('stream') && calls.size === 1;
			if (isOnlyChanged && stream?.isAlive) continue;
			ended = await watched.read(patience);
			waiter.readAt = clock.now();
			intervalMs = isOnlyChanged ? intervalAfterStream(stream) : slower(intervalMs);
		}
		shared.turns.hurry();
		return watched.job as Job;
	} finally {
		stream?.close();
		shared.turns.leave(waiter);
	}
}

/** Not cut by `maxWaitMs`, so that even a wait of no time tells how the job stands. */
async function firstRead(watched: WatchedJob, { signal, leaving }: WaitOptions): Promise<boolean> {
	const within = async (later: AbortSignal): Promise<boolean> =>
		await watched.read(signal === undefined ? later : AbortSignal.any([signal, later]));
	if (leaving === undefined) return await watched.read(signal);
	return leaving.aborted ? await within(clock.signalAfter(STOP_LIMIT_MS)) : await withGrace(leaving, STOP_LIMIT_MS, within);
}

function openStream(watched: WatchedJob, { gate }: SharedWait, waiter: Waiter, onEvent: WaitOptions['onEvent']): LiveStream {
	const heard = (event: JobEvent): void => {
		const passedOn = watched.heard(event);
		onEvent?.(passedOn);
	};
	return new LiveStream(gate, watched.jobs, watched.job as Job, { onEvent: heard, onChange: () => waiter.call('stream') });
}

const intervalAfterStream = (stream: LiveStream | undefined): number => (stream?.hasEnded ? SETTLING_INTERVAL_MS : FIRST_INTERVAL_MS);

async function timedOut(jobs: JobService, job: Job, { cancelOnTimeout }: WaitOptions): Promise<Omit<WaitResult, keyof JobDurations>> {
	logDecision({ kind: 'wait_is_over', jobId: job.job_id, status: job.status });
	if (!cancelOnTimeout) return { job, finished: false };
	const canceled = await outcomeOf(cancel(jobs, job, 'wait_is_over'));
	if (canceled.ok) return { job: canceled.value, finished: isTerminal(canceled.value.status) };
	return { job, finished: false, cancelError: canceled.error };
}

/** With a signal of its own: the caller's has fired. */
async function cancel(jobs: JobService, job: Job | string, because: 'stopped' | 'wait_is_over'): Promise<Job> {
	logDecision({ kind: 'cancels', jobId: toJobId(job), because });
	return await jobs.cancel(job, { signal: clock.signalAfter(STOP_LIMIT_MS) });
}
