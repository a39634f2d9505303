import { clock } from '../clock';
import { type InterfaceName, isTerminal, type Job, type JobEvent } from '../job';
import { FollowedJob, type Remembered } from './followedJob';
import type { News } from './news';

/** Of an account with more jobs in flight the oldest are forgotten. */
const MOST_FOLLOWED = 1_000;
const MOST_ENDED = 500;

/** What a desk must be given back after a restart, so that it goes on where it was. Made of JSON. */
export interface DeskMemory {
	/** Jobs in flight. */
	followed: Record<string, Remembered>;
	/** Jobs whose end was told → when (epoch milliseconds). */
	ended: Record<string, number>;
}

export interface DeskSettings {
	readonly interface: InterfaceName;
	/** Percent steps, 1 to 99. */
	milestones: readonly number[];
	memory?: DeskMemory;
}

/**
 * Turns what a source tells of many jobs into news: each milestone, each output and each end once, across lost
 * connections and restarts. Knows nothing of where it comes from or goes.
 */
export class NewsDesk {
	/** In the order of their latest news. */
	private readonly followed = new Map<string, FollowedJob>();
	private readonly ended: Map<string, number>;
	private readonly account: FollowedJob;

	constructor(private readonly settings: DeskSettings) {
		const { followed = {}, ended = {} } = settings.memory ?? {};
		for (const [jobId, remembered] of Object.entries(followed)) this.followed.set(jobId, this.open(jobId, remembered));
		this.ended = new Map(Object.entries(ended));
		this.account = this.open('');
	}

	/** @param jobId null for news of the account. */
	take(event: JobEvent, jobId: string | null, raw: unknown): News[] {
		if (jobId === null) return this.account.take(event, raw);
		return this.ended.has(jobId) ? [] : this.follow(jobId).take(event, raw);
	}

	read(job: Job): News[] {
		const { job_id: jobId } = job;
		if (this.ended.has(jobId)) return [];
		const news = this.follow(jobId).read(job);
		if (isTerminal(job.status)) {
			this.followed.delete(jobId);
			this.ended.set(jobId, clock.wallNow());
			forgetOldest(this.ended, MOST_ENDED);
		}
		return news;
	}

	inFlight(): string[] {
		return [...this.followed.keys()];
	}

	hasEnded(jobId: string): boolean {
		return this.ended.has(jobId);
	}

	memory(): DeskMemory {
		return {
			followed: Object.fromEntries([...this.followed].map(([jobId, job]) => [jobId, job.remembered()])),
			ended: Object.fromEntries(this.ended),
		};
	}

	private follow(jobId: string): FollowedJob {
		const job = this.followed.get(jobId) ?? this.open(jobId);
		this.followed.delete(jobId);
		this.followed.set(jobId, job);
		forgetOldest(this.followed, MOST_FOLLOWED);
		return job;
	}

	private open(jobId: string, remembered?: Remembered): FollowedJob {
		return new FollowedJob(jobId, this.settings, this.settings.milestones, remembered);
	}
}

function forgetOldest(map: Map<string, unknown>, most: number): void {
	for (const key of map.keys()) {
		if (map.size <= most) return;
		map.delete(key);
	}
}
