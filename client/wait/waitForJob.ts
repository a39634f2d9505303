import { ApiError, StoppedError, UnreadableAnswerError, UnreadableJobError } from '../errors';
import { isTerminal, type Job, type JobEvent } from '../job';
import type { JobService } from '../services';
import { Alarm } from '../transport/alarm';
import { throwIfStopped } from '../transport/delay';
import { ExchangeLimits } from '../transport/limits';
import { outcomeOf } from '../transport/outcome';
import { isTransient, retryAfterOf } from '../transport/retry';
import { LiveStream } from './liveStream';

const FIRST_INTERVAL_MS = 500;
const LONGEST_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;
/** After the stream told of the end, the read may lag behind by a moment. */
const SETTLING_INTERVAL_MS = 50;
/** A stream that is alive may still miss the end. */
const SAFETY_READ_MS = 30_000;
const CANCEL_WITHIN_MS = 5_000;
/** How long a service that is up may fail over one job: a history that is damaged stays so. */
const LONGEST_FAILURE_MS = 5 * 60_000;
/** Timers take no more. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export interface WaitOptions {
	/** `live`: one event stream, with polling behind it. */
	mode: 'live' | 'polling';
	maxWaitMs: number;
	/** Ends the wait with a StoppedError. */
	signal?: AbortSignal;
	/** Cancels the job when the wait is stopped (true). */
	cancelOnStop?: boolean;
	/** Cancels the job when `maxWaitMs` is over (false). */
	cancelOnTimeout?: boolean;
	/** Called in live mode only. */
	onEvent?: (event: JobEvent) => void;
	/** Called with every read of the job but the last, which is the result. */
	onRead?: (job: Job) => void;
}

export interface WaitResult {
	/** As last read, or as the cancel on timeout answered. */
	job: Job;
	/** False when `maxWaitMs` was over first. */
	finished: boolean;
	/** Why the cancel on timeout failed: the job may still run. */
	cancelError?: unknown;
}

/**
 * Waits until a job has ended, by live events and authoritative reads, or by reads alone.
 * @throws StoppedError when the signal fires (without any request when it had fired before); the read's own error when
 *   the job is unknown, not ours, or could not be read once in `maxWaitMs`; UnreadableJobError when the service has
 *   failed over it for minutes.
 */
export async function waitForJob(jobs: JobService, jobId: string, options: WaitOptions): Promise<WaitResult> {
	throwIfStopped(options.signal);
	const limits = new ExchangeLimits({ signal: options.signal, totalMs: Math.min(options.maxWaitMs, LONGEST_WAIT_MS) });
	const watch = new JobWatch(jobs, jobId, options.onRead);
	const outcome = await outcomeOf(follow(watch, options, limits.signal));
	limits.release();
	if (outcome.ok) return { job: outcome.value, finished: true };
	if (options.signal?.aborted) {
		if (options.cancelOnStop ?? true) await outcomeOf(cancel(jobs, watch.job ?? jobId));
		throw new StoppedError();
	}
	if (!limits.signal.aborted) throw outcome.error;
	if (!watch.job) throw watch.trouble;
	return await timedOut(jobs, watch.job, options);
}

async function follow(watch: JobWatch, { mode, onEvent, signal }: WaitOptions, patience: AbortSignal): Promise<Job> {
	const alarm = new Alarm();
	let stream: LiveStream | undefined;
	let intervalMs = FIRST_INTERVAL_MS;
	// The first read is not cut by `maxWaitMs`, so that even a wait of no time tells how the job stands.
	let ended = await watch.read(signal);
	try {
		while (!ended) {
			if (mode === 'live' && watch.job) stream ??= new LiveStream(watch.jobs, watch.job, { onEvent, onChange: () => alarm.ring() });
			const changed = await alarm.sleep(stream?.isAlive ? SAFETY_READ_MS : (retryAfterOf(watch.trouble) ?? intervalMs), patience);
			if (changed && stream?.isAlive) continue;
			ended = await watch.read(patience);
			intervalMs = changed ? intervalAfterStream(stream) : Math.min(intervalMs * INTERVAL_GROWTH, LONGEST_INTERVAL_MS);
		}
		return watch.job as Job;
	} finally {
		stream?.close();
	}
}

const intervalAfterStream = (stream: LiveStream | undefined): number => (stream?.hasEnded ? SETTLING_INTERVAL_MS : FIRST_INTERVAL_MS);

/** The job as last read, through whatever trouble passes by. */
class JobWatch {
	job?: Job;
	/** Why the latest read failed. */
	trouble?: unknown;
	/** Since when the service has answered each read by a failure of its own, by `performance.now()`. */
	private failingSince?: number;

	constructor(
		readonly jobs: JobService,
		private readonly jobId: string,
		private readonly onRead?: (job: Job) => void,
	) {}

	/** @returns whether the job has ended. */
	async read(signal: AbortSignal | undefined): Promise<boolean> {
		const read = await outcomeOf(this.jobs.get(this.jobId, { signal }));
		if (read.ok) this.job = read.value;
		this.trouble = read.ok ? undefined : read.error;
		if (!read.ok && !isTransient(read.error)) throw read.error;
		this.checkFailing();
		const ended = read.ok && isTerminal(read.value.status);
		if (read.ok && !ended) this.onRead?.(read.value);
		return ended;
	}

	private checkFailing(): void {
		this.failingSince = isFailureOfService(this.trouble) ? (this.failingSince ?? performance.now()) : undefined;
		const failingMs = performance.now() - (this.failingSince ?? Infinity);
		if (failingMs >= LONGEST_FAILURE_MS) throw new UnreadableJobError(this.jobId, failingMs, { cause: this.trouble });
	}
}

/** A gateway says 502 to 504 of a server that is being started again. */
const isFailureOfService = (error: unknown): boolean =>
	(error instanceof ApiError && error.status === 500) || (error instanceof UnreadableAnswerError && error.facts.status === 500);

async function timedOut(jobs: JobService, job: Job, { cancelOnTimeout }: WaitOptions): Promise<WaitResult> {
	if (!cancelOnTimeout) return { job, finished: false };
	const canceled = await outcomeOf(cancel(jobs, job));
	if (canceled.ok) return { job: canceled.value, finished: isTerminal(canceled.value.status) };
	return { job, finished: false, cancelError: canceled.error };
}

/** With a signal of its own: the caller's has fired. */
const cancel = async (jobs: JobService, job: Job | string): Promise<Job> =>
	await jobs.cancel(job, { signal: AbortSignal.timeout(CANCEL_WITHIN_MS) });
