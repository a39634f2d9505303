import { clock } from '../async/clock';
import { timeOf } from '../comfyui/timestamps';
import { recordOf } from '../json/decode';
import { isGatewayAnswer, isTransient, isWorkingService } from '../contact/failures';
import { DEFAULT_LOST_AFTER_MS } from '../contact/serverContact';
import { ComfyError, StoppedError, UnreadableJobError } from '../errors/errors';
import { isTerminal, type Job, type JobEvent, type JobProgress, type JobStatus } from '../ports/job';
import { isCompleteJob } from '../list/listJobs';
import { type Decision, logDecision } from '../log/observer';
import type { JobContact, JobService } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import type { Slots } from '../async/slots';

type StatusFields = Pick<Job, 'status' | 'service_status' | 'queue_position'>;
const RUNNING: StatusFields = { status: 'running', service_status: 'running', queue_position: null };
type StatusOrigin = Extract<Decision, { kind: 'job_status' }>['from'];

/** What a wait knows about its job: from reads, from the job list and from live events. */
export class WatchedJob {
	/** Why the latest read failed; undefined if it succeeded. */
	readError?: unknown;
	/** When the job was read last, by the clock. */
	readAt = clock.now();
	private readonly times = new ObservedTimes();
	/** Since when there was no usable answer about the job, by the clock; undefined while there is. */
	private failingSince?: number;
	/** When there was one, by the clock. */
	private usableAt = -Infinity;
	private loggedStatus?: string;

	constructor(
		readonly jobs: JobService,
		private readonly jobId: string,
		private readonly reads: Slots,
		private readonly onRead?: (job: Job) => void,
		public job?: Job,
	) {
		if (job === undefined) return;
		this.times.observe(job.status);
		this.jobs.contactOf(job)?.noteWork();
	}

	/** Returns how long the job waited and ran. */
	durationsOf(job: Job): JobDurations {
		return this.times.durationsOf(job);
	}

	/**
	 * Reads the job. A temporary failure is kept in `readError`.
	 * @returns whether the job has ended.
	 * @throws the error of the read if the wait cannot continue; UnreadableJobError if reads have failed for too long.
	 */
	async read(signal: AbortSignal | undefined): Promise<boolean> {
		const read = await outcomeOf(this.reads.run(async () => await this.jobs.get(this.job ?? this.jobId, { signal }), signal));
		this.readAt = clock.now();
		if (read.ok) {
			this.readError = undefined;
			this.noteUsable();
			return this.update(read.value, 'read');
		}
		const { error } = read;
		// A read that the end of the wait interrupts says nothing about the service. Its earlier attempts may.
		this.readError = error instanceof StoppedError ? (this.readError ?? this.contact?.failure) : error;
		if (!this.canContinueAfter(error)) throw error;
		this.checkContact(error);
		return false;
	}

	private get contact(): JobContact | undefined {
		return this.jobs.contactOf(this.job ?? this.jobId);
	}

	/** A job that was never read may not exist. So the wait ends if the server has never answered. */
	private canContinueAfter(error: unknown): boolean {
		if (this.job !== undefined) return isTransient(error) || isGatewayAnswer(error);
		const hasGivenUp = error instanceof ComfyError && error.silence !== undefined;
		return isTransient(error) && !(hasGivenUp && this.contact?.hasAnswered === false);
	}

	/** @throws UnreadableJobError if there was no usable answer for too long. */
	private checkContact(error: unknown): void {
		const now = clock.now();
		const { lostLimitMs = DEFAULT_LOST_AFTER_MS, silentSince = now, address } = this.contact ?? {};
		if (isWorkingService(error)) return this.noteUsable();
		this.failingSince ??= Math.max(this.usableAt, Math.min(now, silentSince));
		const forMs = now - this.failingSince;
		if (forMs < lostLimitMs) return;
		throw new UnreadableJobError({ jobId: this.jobId, forMs, since: clock.wallNow() - forMs, address }, { cause: error });
	}

	private noteUsable(): void {
		this.failingSince = undefined;
		this.usableAt = clock.now();
	}

	/** Takes over the job from a list, but not its end. Some lists contain only the status of a job. */
	handleListed(listed: Job): void {
		this.noteUsable();
		if (isTerminal(listed.status)) return;
		const { status, service_status, queue_position } = listed;
		this.update(isCompleteJob(listed) || this.job === undefined ? listed : { ...this.job, status, service_status, queue_position }, 'list');
	}

	/** Takes over what an event says about the job, but not its end, which a read confirms. @returns the event to pass on. */
	handleEvent(event: JobEvent): JobEvent {
		this.noteUsable();
		if (event.kind === 'status') {
			const { status, service_status, queue_position } = event;
			this.updateStatus({ status, service_status, queue_position });
		}
		if (event.kind !== 'progress') return event;
		// The API proxy sends no status when a job starts, only its progress.
		if (this.job?.status === 'queued' && (event.progress.value > 0 || hasNodes(event.progress))) this.updateStatus(RUNNING);
		const progress = toLaterProgress(this.job?.progress ?? null, event.progress);
		if (this.job !== undefined) this.job = { ...this.job, progress };
		return { kind: 'progress', progress };
	}

	private updateStatus(fields: StatusFields): void {
		this.times.observe(fields.status);
		this.logStatus(fields, 'stream');
		if (this.job !== undefined && !isTerminal(fields.status)) this.job = { ...this.job, ...fields };
	}

	/** @returns whether the job has ended. */
	private update(job: Job, from: StatusOrigin): boolean {
		const hasEnded = isTerminal(job.status);
		if (this.job === undefined) this.jobs.contactOf(job)?.noteWork();
		const earlier = this.job?.progress ?? null;
		this.job = hasEnded || earlier === null ? job : { ...job, progress: toLaterProgress(earlier, job.progress ?? earlier) };
		this.times.observe(job.status);
		this.logStatus(job, from);
		if (!hasEnded) this.onRead?.(job);
		return hasEnded;
	}

	/** Logs each change once. */
	private logStatus({ status, queue_position: queuePosition }: StatusFields, from: StatusOrigin): void {
		const text = `${status} ${queuePosition ?? ''}`;
		if (text !== this.loggedStatus) logDecision({ kind: 'job_status', jobId: this.jobId, status, queuePosition, from });
		this.loggedStatus = text;
	}
}

/**
 * Returns the newer progress, with a value that does not fall while the same nodes are counted. A new stream may begin with an
 * older state, and a read through the API proxy returns zeros.
 */
function toLaterProgress(earlier: JobProgress | null, newer: JobProgress): JobProgress {
	if (earlier === null || newer.value >= earlier.value) return newer;
	if (!hasNodes(newer)) return earlier;
	return countedNodes(newer) === countedNodes(earlier)
		? { ...newer, value: earlier.value, nodes_done: Math.max(newer.nodes_done, earlier.nodes_done) }
		: newer;
}

const hasNodes = ({ nodes_total, current_node }: JobProgress): boolean => nodes_total > 0 || typeof current_node === 'string';

/** Returns what the value refers to: all nodes of the job, or one node if the service does not count them. */
const countedNodes = ({ nodes_total, current_node }: JobProgress): string | number =>
	nodes_total > 0 ? nodes_total : (current_node ?? '');

export interface JobDurations {
	/** How long the job waited in the queue, in milliseconds; null if neither the service nor we know it. */
	queuedMs: number | null;
	/** How long the job ran. */
	ranMs: number | null;
}

/** When we saw a job in which state, by our own clock. It replaces times that a service does not send. */
class ObservedTimes {
	private queuedAt?: number;
	private runningAt?: number;
	private endedAt?: number;

	observe(status: JobStatus): void {
		if (this.endedAt !== undefined) return;
		if (isTerminal(status)) this.endedAt = clock.realNow();
		else if (status === 'running') this.runningAt ??= clock.realNow();
		else if (status === 'queued' && this.runningAt === undefined) this.queuedAt ??= clock.realNow();
	}

	/** Prefers the times of the service. A difference never mixes the service's clock with ours. */
	durationsOf(job: Job): JobDurations {
		const { queue_ms: queueMs, execution_ms: executionMs } = recordOf(job.metrics);
		// If the job was already running when it was first seen, it may have been running for long.
		const observedRunMs = this.queuedAt === undefined ? null : between(this.runningAt, this.endedAt);
		return {
			queuedMs: durationOr(queueMs) ?? between(timeOf(job.created_at), timeOf(job.started_at)) ?? between(this.queuedAt, this.runningAt),
			ranMs: durationOr(executionMs) ?? between(timeOf(job.started_at), timeOf(job.completed_at)) ?? observedRunMs,
		};
	}
}

const durationOr = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null);

const between = (from: number | undefined, to: number | undefined): number | null =>
	from !== undefined && to !== undefined && to >= from ? to - from : null;
