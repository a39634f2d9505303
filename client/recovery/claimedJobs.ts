import { Cache } from '../cache/cache';

/** Older claims are forgotten. */
const MOST_JOBS = 10_000;

/** Which submission owns a job, as far as this process knows. No job is given to two submissions. */
export class ClaimedJobs {
	private readonly owners = new Cache<string, unknown>({ mostEntries: MOST_JOBS });

	isFreeFor(jobId: string, owner: unknown): boolean {
		return !this.owners.has(jobId) || this.owners.get(jobId) === owner;
	}

	/** Returns whether the job was given to this submission before. */
	isOwnedBy(jobId: string, owner: unknown): boolean {
		return this.owners.has(jobId) && this.owners.get(jobId) === owner;
	}

	/** @returns false if another submission owns the job. */
	claim(jobId: string, owner: unknown): boolean {
		if (!this.isFreeFor(jobId, owner)) return false;
		this.owners.set(jobId, owner);
		return true;
	}

	/** Forgets claims, like a restart of the process. For tests. @param jobIds only these, if several tests share the process. */
	clear(jobIds: Iterable<string> = this.owners.list().map(([jobId]) => jobId)): void {
		for (const id of jobIds) this.owners.delete(id);
	}
}

export const claimedJobs = new ClaimedJobs();
