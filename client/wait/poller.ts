import { clock } from '../async/clock';
import { isTerminal, type Job } from '../ports/job';
import type { JobService } from '../ports/jobService';
import { Alarm } from '../async/alarm';
import { ABSENT_MS, FIRST_INTERVAL_MS, LONGEST_INTERVAL_MS, toLongerInterval } from './waitTimes';

/** What the job list says about a job: its entry, or that the list would contain the job if it had ended. */
export type ListEntry = Job | 'absent';

export interface PollerParts {
	jobs: JobService;
	/** Returns the job, as far as it is known. */
	job: () => Job | undefined;
	/** Called when the list contains the job. */
	onListed: (job: Job) => void;
	/** Fires when the wait is over. */
	signal: AbortSignal;
}

/** One of the waits that share streams and reads: when it reads its job, and its pauses. Times are milliseconds of the clock. */
export class Poller {
	/** The wait pauses between two reads. */
	isIdle = false;
	/** When the job was read last. */
	readAt = clock.now();
	/** When to read the job, and how long the pause is until then. */
	private readAgainAt = Infinity;
	pauseMs = Infinity;
	/** The latest poll of the list showed that the job has not ended, or the list was not polled yet. */
	private isInList = true;
	private readonly alarm = new Alarm();
	private isDue = false;

	constructor(readonly parts: PollerParts) {}

	/** Whether a poll of the list can search for the job. */
	get isSearchable(): boolean {
		return this.isIdle && this.parts.job() !== undefined && !this.parts.signal.aborted;
	}

	/** The stream reported the end, and the next read should show it. */
	get isUrgent(): boolean {
		return this.pauseMs < FIRST_INTERVAL_MS;
	}

	/**
	 * Returns when to read the job.
	 * @param roundMs the time in which each wait of the connection gets one read.
	 * @param listBy until when reads wait for the list, if it may contain the job.
	 */
	dueAt(roundMs = 0, listBy = -Infinity): number {
		if (this.isUrgent) return this.readAgainAt;
		const dueAt = this.readAgainAt + Math.max(0, roundMs - this.pauseMs);
		return this.isInList && this.parts.job() !== undefined ? Math.max(dueAt, listBy) : dueAt;
	}

	/** Pauses until the wait is woken. @returns whether its read is due; false if only its stream changed. @throws StoppedError when the wait is over. */
	async pause(pauseMs: number): Promise<boolean> {
		this.pauseMs = pauseMs;
		this.readAgainAt = clock.now() + pauseMs;
		this.isIdle = true;
		try {
			await this.alarm.sleep(Infinity, this.parts.signal);
		} finally {
			this.isIdle = false;
		}
		const { isDue } = this;
		this.isDue = false;
		return isDue;
	}

	/** @param isDue false if only its stream changed. */
	wake(isDue: boolean): void {
		this.isIdle = false;
		this.isDue ||= isDue;
		this.alarm.ring();
	}

	/** Takes over what a poll of the list says. The list may be incomplete, so a job that is absent is read from time to time. */
	handleList(entry: ListEntry | undefined): void {
		const now = clock.now();
		const listed = entry === 'absent' ? undefined : entry;
		if (listed !== undefined) this.parts.onListed(listed);
		const isRunning = listed === undefined ? entry === 'absent' && now < this.readAt + ABSENT_MS : !isTerminal(listed.status);
		if (isRunning) {
			// Counts like a read that found the job running.
			if (this.pauseMs < LONGEST_INTERVAL_MS) this.pauseMs = toLongerInterval(this.pauseMs);
			this.readAgainAt = now + this.pauseMs;
		} else if (this.isInList) {
			this.readAgainAt = Math.min(this.readAgainAt, this.readAt + this.pauseMs);
			// Once. If the read does not show the end yet, the wait repeats it after its interval.
			if (listed !== undefined && this.isIdle) this.wake(true);
		}
		this.isInList = isRunning;
	}
}
