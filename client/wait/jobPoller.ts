import { Alarm } from '../async/alarm';
import { clock, type Timer } from '../async/clock';
import { outcomeOf } from '../async/outcome';
import { Slots } from '../async/slots';
import { longerPauseMs, POLICIES } from '../contact/policy';
import { bindObserver, runAsShared } from '../log/observer';
import { isTerminal, type Job } from '../ports/job';
import { type ListEntry, ListSearch } from './listSearch';
import { StreamLimiter } from './liveStream';
import type { WatchedJob } from './watchedJob';

/** Each read needs a connection. */
const MOST_READS_AT_ONCE = 64;
/** Reads of different jobs are this far apart, but … */
const READS_APART_MS = 75;
/** … each job is read within this time, … */
const ROUND_MS = 7_500;
/** … or within this time while polling is sped up, because other jobs of the same batch may end too. */
const FAST_ROUND_MS = 1_000;
/** How long polling stays sped up after a job has ended. */
const FAST_MS = 10_000;
/** Reads that are to begin within this time begin together. */
const BATCH_MS = 50;
/** With more waits, the timer is coarser: one millisecond for this many waits. */
const WAITS_FOR_A_MS = 50;
/** A job that is absent from the list is read after this time, because the list may be incomplete. */
const ABSENT_MS = 60_000;

/** Fewer jobs are read one by one, because a list may be long. */
const FEWEST_FOR_LIST = 4;
/** The least time between two polls. */
const POLLS_APART_MS = 500;
/** One poll serves all waits, so it may be this much more frequent than the reads of one wait. */
const POLLS_IN_AN_INTERVAL = 5;
/** Each further page of a poll delays the next one by this part of the pause. */
const DELAY_FOR_A_PAGE = 0.1;
/** A poll that takes longer does not delay reads any more. */
const LONGEST_POLL_MS = 5_000;
/** How long the list is not polled after it failed, or contained too few of the jobs. */
const LIST_PAUSE_MS = 60_000;

/**
 * Decides for all waits of one connection, also across executions, when which job is read, and whether by itself or with a list.
 * Each wait reads at most as often as a wait on its own. All waits together stay below a rate, and if the service has a cheap
 * list, one poll of the list replaces their reads. Each wait uses its own service, so it does not end with another wait.
 */
export class JobPoller {
	/** The event streams of the waits. */
	readonly streams = new StreamLimiter();
	/** Each read runs when a slot is free. */
	readonly reads = new Slots(MOST_READS_AT_ONCE);
	/** The one that has paused longest comes first. */
	private readonly polled = new Set<PolledJob>();
	private readonly list = new ListPoll(this.polled);
	private nextReadAt = -Infinity;
	private fastUntil = -Infinity;
	private timer?: Timer;
	private timerAt = Infinity;

	get isInUse(): boolean {
		return this.polled.size > 0 || this.streams.isInUse;
	}

	join(polled: PolledJob): void {
		if (this.polled.size === 0) this.list.restart();
		this.polled.add(polled);
	}

	leave(polled: PolledJob): void {
		this.polled.delete(polled);
		if (this.polled.size === 0) this.setTimer(Infinity);
	}

	/** Pauses the wait until its next read is due, or its stream changed. @returns whether the read is due. @throws StoppedError. */
	async pause(polled: PolledJob, intervalMs: number): Promise<boolean> {
		const pausing = polled.pause(intervalMs);
		if (this.polled.delete(polled)) this.polled.add(polled);
		if (polled.dueAt() < this.timerAt) this.setTimer(polled.dueAt());
		return await pausing;
	}

	/** Call this when a job has ended. Other jobs of the same batch may end soon, so reads become more frequent for a while. */
	speedUp(): void {
		this.fastUntil = clock.now() + FAST_MS;
		if (this.polled.size > 0) this.setTimer(Math.min(this.timerAt, clock.now()));
	}

	private setTimer(at: number): void {
		clearTimeout(this.timer);
		this.timerAt = at;
		const leastMs = this.polled.size / WAITS_FOR_A_MS;
		if (at < Infinity) this.timer = clock.after(Math.max(leastMs, at - clock.now()), () => this.tick());
	}

	private tick(): void {
		const now = clock.now();
		const isFast = now < this.fastUntil;
		if (this.list.nextAt(isFast) <= now) void this.pollList();
		const listBy = this.list.answersBy(isFast);
		const apartMs = Math.min(READS_APART_MS, (isFast ? FAST_ROUND_MS : ROUND_MS) / this.polled.size);
		let nextAt = this.list.nextAt(isFast);
		for (const polled of this.polled) {
			if (!polled.isIdle) continue;
			const dueAt = polled.dueAt(apartMs * this.polled.size, listBy);
			const notBefore = polled.isUrgent ? -Infinity : this.nextReadAt;
			if (dueAt > now || notBefore - BATCH_MS > now) nextAt = Math.min(nextAt, Math.max(dueAt, notBefore));
			else {
				if (!polled.isUrgent) this.nextReadAt = Math.max(this.nextReadAt, now) + apartMs;
				polled.wake(true);
			}
		}
		this.setTimer(nextAt);
	}

	private async pollList(): Promise<void> {
		await outcomeOf(runAsShared(async () => await this.list.run()));
		if (this.polled.size > 0) this.tick();
	}
}

/** By the identity of the connection, as long as any wait uses it. */
const POLLERS = new Map<string, JobPoller>();

/** Returns the poller that the waits of a connection share. */
export function jobPollerOf(identity: string): JobPoller {
	for (const [known, { isInUse }] of POLLERS) if (!isInUse) POLLERS.delete(known);
	const poller = POLLERS.get(identity) ?? new JobPoller();
	POLLERS.set(identity, poller);
	return poller;
}

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

/** Polls the job list for all waits of a connection, which replaces a read for each job. Times are milliseconds of the clock. */
export class ListPoll {
	private isPolling = false;
	/** When the running poll began, or the latest one ended. */
	private changedAt = -Infinity;
	private pausedUntil = -Infinity;
	private requests = 1;
	/** The list has no pages, and is longer than one answer. Then only jobs that ended are requested. */
	private requestsOnlyEnded = false;

	constructor(private readonly polled: ReadonlySet<PolledJob>) {}

	/** Call this when the first wait begins. */
	restart(): void {
		if (!this.isPolling) this.changedAt = clock.now();
	}

	private get isWorthIt(): boolean {
		const [first] = this.polled;
		return this.polled.size >= FEWEST_FOR_LIST && first?.watched.jobs.capabilities.hasCheapList === true;
	}

	/** Returns when the list is to be polled; Infinity if it is not used, or is being polled. */
	nextAt(isFast: boolean): number {
		return this.isPolling || !this.isWorthIt ? Infinity : Math.max(this.pausedUntil, this.changedAt + this.pauseMs(isFast));
	}

	/** Returns until when a read waits for the list. */
	answersBy(isFast: boolean): number {
		if (!this.isWorthIt || clock.now() < this.pausedUntil) return -Infinity;
		return (this.isPolling ? this.changedAt : this.nextAt(isFast)) + LONGEST_POLL_MS;
	}

	/** Polls cost no more requests than the reads that they replace. */
	private pauseMs(isFast: boolean): number {
		let readsPerMs = 0;
		let shortestMs = Infinity;
		for (const { isIdle, pauseMs } of this.polled) {
			if (!isIdle) continue;
			readsPerMs += 1 / pauseMs;
			shortestMs = Math.min(shortestMs, pauseMs);
		}
		const leastMs = Math.max(POLLS_APART_MS, isFast ? 0 : shortestMs / POLLS_IN_AN_INTERVAL);
		return Math.max(this.requests / readsPerMs, leastMs * (1 + (this.requests - 1) * DELAY_FOR_A_PAGE));
	}

	/** Polls the list once, with the service and the signal of one of the waits. Never rejects. */
	async run(): Promise<void> {
		const searched = [...this.polled].filter(({ isSearchable }) => isSearchable);
		const [first] = searched;
		this.changedAt = clock.now();
		if (first === undefined) return;
		this.isPolling = true;
		const wanted = new Map(searched.map(({ watched }) => watched.job as Job).map((job) => [job.job_id, job]));
		const search = new ListSearch(first.watched.jobs, wanted, first.signal, this.requestsOnlyEnded);
		const done = await outcomeOf(search.run());
		this.isPolling = false;
		this.changedAt = clock.now();
		const isStopped = !this.polled.has(first) || first.signal.aborted;
		// If the poll was stopped together with its wait, another wait repeats it immediately.
		if (!done.ok && isStopped) this.changedAt = -Infinity;
		else if (!done.ok || !search.isUseful) this.pausedUntil = clock.now() + LIST_PAUSE_MS;
		if (!done.ok) return;
		this.requests = search.requests;
		this.requestsOnlyEnded = search.requestsOnlyEnded;
		for (const polled of searched) polled.handleList(search.entries.get(polled.watched.job?.job_id ?? ''));
	}
}
