import { clock } from '../clock';
import { isTerminal, type Job, type JobStatus } from '../job';
import { isRecord } from '../decode';
import { timeOf } from '../comfyui/moments';

export interface JobDurations {
	/** How long the job waited for its turn, in milliseconds; null where neither the service says it nor we saw it. */
	queuedMs: number | null;
	/** How long it ran. */
	ranMs: number | null;
}

/** When a job was seen in which state, by our own clock: for services that do not tell. */
export class JobTimes {
	private queuedAt?: number;
	private runningAt?: number;
	private endedAt?: number;

	saw(status: JobStatus): void {
		if (this.endedAt !== undefined) return;
		if (isTerminal(status)) this.endedAt = clock.realNow();
		else if (status === 'running') this.runningAt ??= clock.realNow();
		else if (status === 'queued' && this.runningAt === undefined) this.queuedAt ??= clock.realNow();
	}

	/** What the service says comes first, and times of one clock are never set against those of another. */
	of(job: Job): JobDurations {
		const { queue_ms: queueMs, execution_ms: executionMs } = isRecord(job.metrics) ? job.metrics : {};
		return {
			queuedMs: told(queueMs) ?? between(timeOf(job.created_at), timeOf(job.started_at)) ?? between(this.queuedAt, this.runningAt),
			// One that was running when it was first seen may have run for long.
			ranMs:
				told(executionMs) ??
				between(timeOf(job.started_at), timeOf(job.completed_at)) ??
				(this.queuedAt === undefined ? null : between(this.runningAt, this.endedAt)),
		};
	}
}

const told = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null);

const between = (from: number | undefined, to: number | undefined): number | null =>
	from !== undefined && to !== undefined && to >= from ? to - from : null;
