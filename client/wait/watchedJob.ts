import { clock } from '../clock';
import { AnswerError, StoppedError, UnreadableJobError } from '../errors';
import { isTerminal, type Job } from '../job';
import { isWholeJob } from '../list/readWhereUntold';
import { type Decision, decided } from '../observer';
import type { JobService } from '../ports';
import { outcomeOf } from '../transport/outcome';
import { isForeign404, isTransient } from '../transport/retry';
import { JobTimes } from './jobTimes';
import type { SharedWait } from './sharedWait';

/** How long a service that is up may fail over one job: a history that is damaged stays so. */
const LONGEST_FAILURE_MS = 5 * 60_000;

type Standing = Pick<Job, 'status' | 'queue_position'>;
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
		const read = await outcomeOf(this.shared.read(async () => await this.jobs.get(this.jobId, { signal }), { signal }));
		// What is cut off by the end of the wait tells nothing of the service.
		if (read.ok || !(read.error instanceof StoppedError)) this.trouble = read.ok ? undefined : read.error;
		if (!read.ok && !isTransient(read.error) && !(this.job !== undefined && isForeign404(read.error))) throw read.error;
		this.checkFailing();
		return read.ok && this.knows(read.value, 'read');
	}

	/** A list told of it: of everything, or of its status alone. */
	isListed(listed: Job): void {
		if (isTerminal(listed.status)) return;
		const { status, service_status, queue_position } = listed;
		this.knows(isWholeJob(listed) || this.job === undefined ? listed : { ...this.job, status, service_status, queue_position }, 'list');
	}

	heard({ status, queue_position: queuePosition }: Standing): void {
		this.times.saw(status);
		this.tell({ status, queue_position: queuePosition }, 'stream');
	}

	private knows(job: Job, from: Source): boolean {
		this.job = job;
		this.times.saw(job.status);
		this.tell(job, from);
		const ended = isTerminal(job.status);
		if (!ended) this.onRead?.(job);
		return ended;
	}

	/** Each step once. */
	private tell({ status, queue_position: queuePosition }: Standing, from: Source): void {
		const step = `${status} ${queuePosition ?? ''}`;
		if (step !== this.told) decided({ kind: 'job_stands', jobId: this.jobId, status, queuePosition, from });
		this.told = step;
	}

	private checkFailing(): void {
		this.failingSince = mayStay(this.trouble) ? (this.failingSince ?? clock.now()) : undefined;
		const failingMs = clock.now() - (this.failingSince ?? Infinity);
		if (failingMs >= LONGEST_FAILURE_MS) throw new UnreadableJobError(this.jobId, failingMs, { cause: this.trouble });
	}
}

/** A failure of the service itself, or nobody who knows the job; a gateway says 502 to 504 of a server that is being started again. */
const mayStay = (error: unknown): boolean => isForeign404(error) || (error instanceof AnswerError && error.status === 500);
