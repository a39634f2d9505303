import { Alarm } from './alarm';
import { ComfyError, StoppedError } from './errors';
import { isTerminal, type Job, type JobEvent } from './job';
import { LiveStream } from './liveStream';
import type { JobService } from './services';
import { throwIfStopped } from './transport/delay';
import { ExchangeLimits } from './transport/limits';
import { isTransient, retryAfterOf } from './transport/retry';

const FIRST_INTERVAL_MS = 500;
const LONGEST_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;
/** After the stream told of the end, the read may lag behind by a moment. */
const SETTLING_INTERVAL_MS = 50;
/** A stream that is alive may still miss the end. */
const SAFETY_READ_MS = 30_000;
const CANCEL_WITHIN_MS = 5_000;
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
}

export interface WaitResult {
	/** As last read, or as the cancel on timeout answered. */
	job: Job;
	/** False when `maxWaitMs` was over first. */
	finished: boolean;
	/** Why the cancel on timeout failed: the job may still run. */
	cancelError?: ComfyError;
}

/**
 * Waits until a job has ended, by live events and authoritative reads, or by reads alone.
 * @throws StoppedError when the signal fires (without any request when it had fired before); the read's own error when
 *   the job is unknown, not ours, or could not be read once in `maxWaitMs`.
 */
export async function waitForJob(jobs: JobService, jobId: string, options: WaitOptions): Promise<WaitResult> {
	throwIfStopped(options.signal);
	const limits = new ExchangeLimits({ signal: options.signal, totalMs: Math.min(options.maxWaitMs, LONGEST_WAIT_MS) });
	const watch = new JobWatch(jobs, jobId);
	try {
		return { job: await follow(watch, options, limits.signal), finished: true };
	} catch (error) {
		if (options.signal?.aborted) {
			if (options.cancelOnStop ?? true) await cancel(jobs, watch.job ?? jobId).catch(() => undefined);
			throw new StoppedError();
		}
		if (!limits.signal.aborted) throw error;
		if (!watch.job) throw watch.trouble ?? error;
		return await timedOut(jobs, watch.job, options);
	} finally {
		limits.release();
	}
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

	constructor(
		readonly jobs: JobService,
		private readonly jobId: string,
	) {}

	/** @returns whether the job has ended. */
	async read(signal: AbortSignal | undefined): Promise<boolean> {
		try {
			this.job = await this.jobs.get(this.jobId, { signal });
			this.trouble = undefined;
			return isTerminal(this.job.status);
		} catch (error) {
			if (!isTransient(error)) throw error;
			this.trouble = error;
			return false;
		}
	}
}

async function timedOut(jobs: JobService, job: Job, { cancelOnTimeout }: WaitOptions): Promise<WaitResult> {
	if (!cancelOnTimeout) return { job, finished: false };
	try {
		const canceled = await cancel(jobs, job);
		return { job: canceled, finished: isTerminal(canceled.status) };
	} catch (error) {
		if (error instanceof ComfyError) return { job, finished: false, cancelError: error };
		throw error;
	}
}

/** With a signal of its own: the caller's has fired. */
const cancel = async (jobs: JobService, job: Job | string): Promise<Job> =>
	await jobs.cancel(job, { signal: AbortSignal.timeout(CANCEL_WITHIN_MS) });
