import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

/** What an item is doing, as far as a stop of the execution must know. */
type ItemPhase =
	| 'working'
	/** If the execution stops now, the wait itself cancels the job. */
	| 'waitingForJob'
	/** The job has ended: a stop leaves it as it is. */
	| 'jobEnded';

/**
 * What is known of one item while it runs. A failure of the item reports it, because a job that exists must not be lost.
 */
export class ItemProgress {
	private phase: ItemPhase = 'working';
	private facts: IDataObject = {};
	/** Files that a failure of the item passes on: its job finished them before it failed. */
	files: IBinaryKeyData = {};
	private readonly confirmedJobIds = new Set<string>();
	private readonly stopActions: Array<() => void> = [];

	/** Adds output fields that a failure of the item reports. */
	add(facts: IDataObject): void {
		Object.assign(this.facts, facts);
	}

	remove(name: string): void {
		delete this.facts[name];
	}

	/** A copy of what was added. */
	get reported(): IDataObject {
		return { ...this.facts };
	}

	get jobId(): string | undefined {
		return typeof this.facts.job_id === 'string' ? this.facts.job_id : undefined;
	}

	/** A job that was only entered: it may not exist. */
	setJobId(jobId: string): void {
		this.facts.job_id = jobId;
	}

	/** The service has reported the job, or has accepted it from this item. */
	confirmJob(jobId: string): void {
		this.confirmedJobIds.add(jobId);
	}

	hasConfirmed(jobId: string): boolean {
		return this.confirmedJobIds.has(jobId);
	}

	/** The job does not count any more: another takes its place. */
	dropJob(jobId: string): void {
		this.confirmedJobIds.delete(jobId);
		delete this.facts.job_id;
	}

	startWaiting(): void {
		this.phase = 'waitingForJob';
	}

	stopWaiting(): void {
		if (this.phase === 'waitingForJob') this.phase = 'working';
	}

	/** @param facts about the job, its status among them. */
	endJob(facts: IDataObject): void {
		this.phase = 'jobEnded';
		this.add(facts);
	}

	get hasJobEnded(): boolean {
		return this.phase === 'jobEnded';
	}

	/** Whether a stop of the execution has to cancel the job: it has not ended, and no wait cancels it. */
	get needsCancel(): boolean {
		return this.phase === 'working';
	}

	/** Runs at the moment when the execution is stopped: n8n saves the execution then, and nothing that happens later. */
	whenStopped(act: () => void): void {
		this.stopActions.push(act);
	}

	notifyStopped(): void {
		for (const act of this.stopActions) act();
	}
}
