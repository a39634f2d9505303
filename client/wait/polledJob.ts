import { Alarm } from '../async/alarm';
import { clock } from '../async/clock';
import { longerPauseMs, POLICIES } from '../contact/policy';
import { bindObserver } from '../log/observer';
import { isTerminal, type Job } from '../ports/job';
import type { WatchedJob } from './watchedJob';

/** A job that is absent from the list is read after this time, because the list may be incomplete. */
const ABSENT_MS = 60_000;

/** What the job list says about a job: its entry, or that the list would contain the job if it had ended. */
export type ListEntry = Job | 'absent';

/** The job of one wait: when it is read, and the pause before that. Times are milliseconds of the clock. */
export class PolledJob {
	/** The wait pauses between two reads. */
	isIdle = false;
	/** When to read the job, and how long the pause is until then. */
	private readAgainAt = Infinity;
	pauseMs = Infinity;
	/** The latest poll of the list showed that the job has not ended, or the list was not polled yet. */
	private isInList = true;
	private readonly alarm = new Alarm();
	private isDue = false;
	private readonly handleListed = bindObserver((job: Job) => this.watched.handleListed(job));

	/** @param signal fires when the wait is over. */
	constructor(
		readonly watched: WatchedJob,
		readonly signal: AbortSignal,
	) {}

	/** Whether a poll of the list can search for the job. */
	get isSearchable(): boolean {
		return this.isIdle && this.watched.job !== undefined && !this.signal.aborted;
	}

	/** The stream reported the end, and the next read should show it. */
	get isUrgent(): boolean {
		return this.pauseMs < POLICIES.wait.firstMs;
	}

	/**
	 * Returns when to read the job.
	 * @param roundMs the time in which each wait of the connection gets one read.
	 * @param listBy until when reads wait for the list, if it may contain the job.
	 */
	dueAt(roundMs = 0, listBy = -Infinity): number {
		if (this.isUrgent) return this.readAgainAt;
		const dueAt = this.readAgainAt + Math.max(0, roundMs - this.pauseMs);
		return this.isInList && this.watched.job !== undefined ? Math.max(dueAt, listBy) : dueAt;
	}

	/** Pauses until the wait is woken. @returns whether its read is due; false if only its stream changed. @throws StoppedError when the wait is over. */
	async pause(pauseMs: number): Promise<boolean> {
		this.pauseMs = pauseMs;
		this.readAgainAt = clock.now() + pauseMs;
		this.isIdle = true;
		try {
			await this.alarm.sleep(Infinity, this.signal);
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
		const { readAt } = this.watched;
		const listed = entry === 'absent' ? undefined : entry;
		if (listed !== undefined) this.handleListed(listed);
		const isRunning = listed === undefined ? entry === 'absent' && now < readAt + ABSENT_MS : !isTerminal(listed.status);
		if (isRunning) {
			// Counts like a read that found the job running.
			this.pauseMs = longerPauseMs(POLICIES.wait, this.pauseMs);
			this.readAgainAt = now + this.pauseMs;
		} else if (this.isInList) {
			this.readAgainAt = Math.min(this.readAgainAt, readAt + this.pauseMs);
			// Once. If the read does not show the end yet, the wait repeats it after its interval.
			if (listed !== undefined && this.isIdle) this.wake(true);
		}
		this.isInList = isRunning;
	}
}
