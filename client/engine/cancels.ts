import { outcomeOf } from '../async/outcome';
import { untilStopped } from '../async/stoppableWait';
import { Cache } from '../cache/cache';
import { SharedRead } from '../cache/sharedRead';
import { ApiError } from '../errors/errors';
import type { CallOptions, QueueEntry } from '../ports/jobService';
import type { EngineControl } from './control';
import type { EngineReader } from './reader';

/** A trigger keeps its connection for months. Older jobs are forgotten. */
const MOST_JOBS = 10_000;

/** Cancels jobs of an engine. No other job is affected. */
export class EngineCancels {
	/** An engine keeps no record of a job that was removed from its queue, so canceled jobs are remembered here. */
	private readonly canceledJobIds = new Cache<string, true>({ mostEntries: MOST_JOBS });
	private readonly requestedIds = new Set<string>();
	/** A stop cancels all jobs of an execution. Those that are requested while a request runs share the next one. */
	private readonly shared = new SharedRead(async () => await this.cancelRequested());

	constructor(
		private readonly control: EngineControl,
		private readonly reader: EngineReader,
	) {}

	/** Whether the engine had this job when it was canceled here. */
	hasCanceled(jobId: string): boolean {
		return this.canceledJobIds.has(jobId);
	}

	/**
	 * Removes a waiting job from the queue, or interrupts a running one. Nothing happens to a finished or unknown job.
	 * @param isKnown whether the engine has reported the job. The answer to a request for several jobs does not say which of them
	 *   it had.
	 */
	async cancel(jobId: string, isKnown: boolean, options: CallOptions): Promise<void> {
		if (!isKnown) return await this.cancelOne(jobId, options);
		this.requestedIds.add(jobId);
		await untilStopped(this.shared.get(), options.signal);
	}

	private async cancelRequested(): Promise<void> {
		const [jobId, ...others] = this.requestedIds;
		this.requestedIds.clear();
		if (jobId === undefined) return;
		if (others.length === 0) await this.cancelOne(jobId, {});
		else await this.cancelTogether([jobId, ...others]);
	}

	private async cancelOne(jobId: string, options: CallOptions): Promise<void> {
		const hadJob = await this.control.cancelJob(jobId, options);
		if (hadJob === undefined) await this.cancelInQueue([jobId], options);
		else if (hadJob) this.noteCanceled([jobId]);
	}

	/** If the engine rejects an id, it cancels no job of the request. */
	private async cancelTogether(jobIds: readonly string[]): Promise<void> {
		const result = await outcomeOf(this.control.cancelJobs(jobIds));
		if (!result.ok) {
			if (!(result.error instanceof ApiError && result.error.status === 400)) throw result.error;
			for (const jobId of jobIds) await this.cancelOne(jobId, {});
		} else if (result.value === undefined) await this.cancelInQueue(jobIds, {});
		else if (result.value) this.noteCanceled(jobIds);
	}

	/**
	 * Two attempts, because a job may start between the read and the request. Running jobs are interrupted directly after a read:
	 * older engines interrupt any running job.
	 */
	private async cancelInQueue(jobIds: readonly string[], options: CallOptions): Promise<void> {
		for (const isLast of [false, true]) {
			const { running, pending } = await this.reader.queue(options);
			const idsIn = (entries: readonly QueueEntry[]) => entries.map(({ job_id }) => job_id).filter((id) => jobIds.includes(id));
			const [runningIds, waitingIds] = [idsIn(running), idsIn(pending)];
			this.noteCanceled([...runningIds, ...waitingIds]);
			if (isLast || waitingIds.length === 0) for (const jobId of runningIds) await this.control.interruptPrompt(jobId, options);
			if (waitingIds.length === 0) return;
			await this.control.deleteFromQueue(waitingIds, options);
		}
	}

	private noteCanceled(jobIds: readonly string[]): void {
		for (const jobId of jobIds) this.canceledJobIds.set(jobId, true);
	}
}
