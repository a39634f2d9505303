import { clock } from '../clock';
import { AnswerError, ComfyError, StoppedError, UnreadableJobError } from '../errors';
import { isTerminal, type Job, type JobEvent, type JobProgress } from '../job';
import { isCompleteJob } from '../list/listJobs';
import { type Decision, logDecision } from '../observer';
import type { JobService } from '../ports';
import { outcomeOf } from '../transport/outcome';
import { isGateway404, isTransient } from '../transport/retry';
import { JobTimes } from './jobTimes';
import type { SharedWait } from './sharedWait';

/** How long a service that is up may fail over one job: a history that is damaged stays so. */
const LONGEST_FAILURE_MS = 5 * 60_000;

type Standing = Pick<Job, 'status' | 'service_status' | 'queue_position'>;
const RUNNING: Standing = { status: 'running', service_status: 'running', queue_position: null };
type Source = Extract<Decision, { kind: 'job_stands' }>['from'];

/** The job as it is known, through whatever trouble passes by. */
export class WatchedJob {
	/** Why the latest read failed. */
	trouble?: unknown;
	readonly times = new JobTimes();
	/** Since when each read was answered by a failure that may stay, by the clock. */
	private failingSince?: number;
	private told?: string;

	constructor(
		readonly jobs: JobService,
		private readonly jobId: string,
		private readonly shared: SharedWait,
		private readonly onRead?: (job: Job) => void,
		public job?: Job,
	) {
		if (job !== undefined) this.times.saw(job.status);
	}

	/** @returns whether the job has ended. */
	async read(signal: AbortSignal | undefined): Promise<boolean> {
		const read = await outcomeOf(this.shared.read(async () => await this.jobs.get(this.job ?? this.jobId, { signal }), { signal }));
		// What is cut off by the end of the wait tells nothing of the service.
		if (read.ok || !(read.error instanceof StoppedError)) this.trouble = read.ok ? undefined : read.error;
		if (!read.ok && this.isUnreachable(read.error)) throw read.error;
		if (!read.ok && !isTransient(read.error) && !(this.job !== undefined && isGateway404(read.error))) throw read.error;
		this.checkFailing();
		return read.ok && this.knows(read.value, 'read');
	}

	/** A job that was never read may not exist: a server that has never answered is not waited for any longer. */
	private isUnreachable(error: unknown): boolean {
		const hasGivenUp = error instanceof ComfyError && error.unansweredForMs !== undefined;
		return this.job === undefined && hasGivenUp && this.jobs.contact?.hasAnswered === false;
	}

	/** A list told of it: of everything, or of its status alone. */
	isListed(listed: Job): void {
		if (isTerminal(listed.status)) return;
		const { status, service_status, queue_position } = listed;
		this.knows(isCompleteJob(listed) || this.job === undefined ? listed : { ...this.job, status, service_status, queue_position }, 'list');
	}

	/** Takes over what an event says of the job, but not its end: a read confirms that. @returns the event to pass on. */
	heard(event: JobEvent): JobEvent {
		if (event.kind === 'status') {
			const { status, service_status, queue_position } = event;
			this.heardStatus({ status, service_status, queue_position });
		}
		if (event.kind !== 'progress') return event;
		// The API proxy sends no status when a job starts, only its progress.
		if (this.job?.status === 'queued' && (event.progress.value > 0 || namesNodes(event.progress))) this.heardStatus(RUNNING);
		const progress = laterProgress(this.job?.progress ?? null, event.progress);
		if (this.job !== undefined) this.job = { ...this.job, progress };
		return { kind: 'progress', progress };
	}

	private heardStatus(standing: Standing): void {
		this.times.saw(standing.status);
		this.tell(standing, 'stream');
		if (this.job !== undefined && !isTerminal(standing.status)) this.job = { ...this.job, ...standing };
	}

	private knows(job: Job, from: Source): boolean {
		const earlier = this.job?.progress ?? null;
		this.job = isTerminal(job.status) || earlier === null ? job : { ...job, progress: laterProgress(earlier, job.progress ?? earlier) };
		this.times.saw(job.status);
		this.tell(job, from);
		const ended = isTerminal(job.status);
		if (!ended) this.onRead?.(job);
		return ended;
	}

	/** Each step once. */
	private tell({ status, queue_position: queuePosition }: Standing, from: Source): void {
		const step = `${status} ${queuePosition ?? ''}`;
		if (step !== this.told) logDecision({ kind: 'job_stands', jobId: this.jobId, status, queuePosition, from });
		this.told = step;
	}

	private checkFailing(): void {
		this.failingSince = mayStay(this.trouble) ? (this.failingSince ?? clock.now()) : undefined;
		const failingMs = clock.now() - (this.failingSince ?? Infinity);
		if (failingMs >= LONGEST_FAILURE_MS) throw new UnreadableJobError(this.jobId, failingMs, { cause: this.trouble });
	}
}

/** A failure of the service itself, or nobody who knows the job; a gateway says 502 to 504 of a server that is being started again. */
const mayStay = (error: unknown): boolean => isGateway404(error) || (error instanceof AnswerError && error.status === 500);

/**
 * Returns the newer progress, with a value that does not fall while the same nodes are counted: a new stream may begin with an
 * older state, and a read through the API proxy returns zeros.
 */
function laterProgress(earlier: JobProgress | null, newer: JobProgress): JobProgress {
	if (earlier === null || newer.value >= earlier.value) return newer;
	if (!namesNodes(newer)) return earlier;
	return nodesOf(newer) === nodesOf(earlier)
		? { ...newer, value: earlier.value, nodes_done: Math.max(newer.nodes_done, earlier.nodes_done) }
		: newer;
}

const namesNodes = ({ nodes_total, current_node }: JobProgress): boolean => nodes_total > 0 || typeof current_node === 'string';

/** What the value refers to: all nodes of the job, or one node where the service does not count them. */
const nodesOf = ({ nodes_total, current_node }: JobProgress): string | number => (nodes_total > 0 ? nodes_total : (current_node ?? ''));
