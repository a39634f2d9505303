/** For so many it is remembered whose they are. */
const MOST_JOBS = 10_000;

/** Which submission a job is that of, as far as this process knows: no job is given to two. */
export class TakenJobs {
	private readonly owners = new Map<string, unknown>();

	constructor(private readonly mostJobs = MOST_JOBS) {}

	isFreeFor(jobId: string, owner: unknown): boolean {
		return !this.owners.has(jobId) || this.owners.get(jobId) === owner;
	}

	/** Whether it was given to this submission before. */
	isOf(jobId: string, owner: unknown): boolean {
		return this.owners.has(jobId) && this.owners.get(jobId) === owner;
	}

	/** @returns false where it is another's. */
	take(jobId: string, owner: unknown): boolean {
		if (!this.isFreeFor(jobId, owner)) return false;
		this.owners.set(jobId, owner);
		for (const oldest of this.owners.keys()) {
			if (this.owners.size <= this.mostJobs) break;
			this.owners.delete(oldest);
		}
		return true;
	}

	/** As in a process that has just begun; where several share this one, of these jobs alone. */
	clear(jobIds: Iterable<string> = [...this.owners.keys()]): void {
		for (const id of jobIds) this.owners.delete(id);
	}
}

export const takenJobs = new TakenJobs();
