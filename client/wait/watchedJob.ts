import { ApiError, UnreadableAnswerError, UnreadableJobError } from '../errors';
import { isTerminal, type Job, type JobStatus } from '../job';
import { isWhole } from '../list/readWhereUntold';
import type { JobService } from '../services';
import { outcomeOf } from '../transport/outcome';
import { isTransient } from '../transport/retry';
import { JobTimes } from './jobTimes';
import type { SharedWait } from './sharedWait';

/** How long a service that is up may fail over one job: a history that is damaged stays so. */
const LONGEST_FAILURE_MS = 5 * 60_000;

/** The job as it is known, through whatever trouble passes by. */
export class WatchedJob {
	/** Why the latest read failed. */
	trouble?: unknown;
	readonly times = new JobTimes();
	/** Since when the service has answered each read by a failure of its own, by `performance.now()`. */
	private failingSince?: number;

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
		this.trouble = read.ok ? undefined : read.error;
		if (!read.ok && !isTransient(read.error)) throw read.error;
		this.checkFailing();
		return read.ok && this.knows(read.value);
	}

	/** A list told of it: of everything, or of its status alone. */
	isListed(listed: Job): void {
		if (isTerminal(listed.status)) return;
		const { status, service_status, queue_position } = listed;
		this.knows(isWhole(listed) || this.job === undefined ? listed : { ...this.job, status, service_status, queue_position });
	}

	heard(status: JobStatus): void {
		this.times.saw(status);
	}

	private knows(job: Job): boolean {
		this.job = job;
		this.times.saw(job.status);
		const ended = isTerminal(job.status);
		if (!ended) this.onRead?.(job);
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
