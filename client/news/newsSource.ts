import type { InterfaceName, Job, JobEvent } from '../job';
import type { CallOptions } from '../ports';

/** Whatever tells of jobs: an account, single jobs, a server of one's own. */
export interface NewsSource {
	/** What is spoken to, as far as is known. */
	readonly interface: InterfaceName;
	watch: Watch;
	/** Asks once whether the source is there and accepts the key. @throws as `verifyAccess`. */
	verifyAccess(options?: CallOptions): Promise<void>;
	close(): Promise<void>;
}

/** Tells of jobs through whatever trouble passes by; resolves when the signal has fired, and never rejects. */
export type Watch = (listener: NewsListener, signal: AbortSignal) => Promise<void>;

/** Who hears of jobs, and remembers which it has heard of. */
export interface NewsListener {
	/** Live news, best effort. @param jobId null for news of the account. */
	onEvent(event: JobEvent, jobId: string | null, raw: unknown): void;
	/** How a job stands, as it was read. */
	onJob(job: Job): void;
	/** The source is reachable (again). */
	onConnect(): void;
	onTrouble(trouble: Trouble): void;
	/** Jobs heard of that have not ended, as far as is known. */
	inFlight(): string[];
	/** Whether a job's end has been heard of. */
	hasEnded(jobId: string): boolean;
	/** Jobs that ended before this moment (epoch milliseconds) are no news. */
	readonly since: number;
}

export interface Trouble {
	error: unknown;
	/** Until the next try, in milliseconds; null when it is not tried again. */
	retryInMs: number | null;
	/** The job that it is about. */
	jobId?: string;
}
