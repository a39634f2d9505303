import { isTerminal, type Job } from '../job';
import { FIRST_INTERVAL_MS, LONGEST_INTERVAL_MS, SHARED_TIMES, type SharedTimes, toLongerInterval } from './waitTimes';

/**
 * What the latest poll of the job list says about a job. `pending`: the list was not polled yet. `absent`: the list would
 * contain the job if it had ended, so it is still in flight. `unknown`: the list says nothing about the job.
 */
export type ListStatus = { kind: 'pending' } | { kind: 'listed'; job: Job } | { kind: 'absent' } | { kind: 'unknown' };

/** One wait in the schedule. Times are milliseconds of the clock that the caller of the scheduler reads. */
export interface ScheduledPoll {
	/** The wait pauses between two reads. */
	isIdle: boolean;
	/** When to read the job, and how long the pause is until then. */
	dueAt: number;
	intervalMs: number;
	/** How much later the read may be while many waits share the connection. */
	slackMs: number;
	/** When the job was read last. */
	readAt: number;
	listStatus: ListStatus;
	readonly isJobKnown: boolean;
	/** A request for the job list costs the service little more than a read of one job. */
	readonly hasCheapList: boolean;
}

/** Whether the list is polled now. A poll that ended is followed by the next one, counted from `endedAt`. */
type ListPollState = { kind: 'idle'; endedAt: number } | { kind: 'polling'; startedAt: number };

export interface ListPollResult {
	/** Requests that the poll took. */
	requests: number;
	/** How many of the jobs the list says something about. */
	known: number;
	/** How many jobs were searched for. */
	searched: number;
}

/** Fewer jobs are read one by one, because a list may be long. */
const FEWEST_FOR_LIST = 4;
/** A list that says less for each request costs more than reads. */
const LEAST_KNOWN_PER_REQUEST = 2;
/** One list poll serves all waits, so it may be this much more frequent than the reads of one wait. */
const LIST_POLLS_IN_AN_INTERVAL = 5;
/** Each further page of a list poll delays the next one by this part of the pause. */
const DELAY_FOR_A_PAGE = 0.1;
/** A list poll that takes longer does not delay reads any more. */
const LONGEST_LIST_POLL_MS = 5_000;
/** With more waits, the timer is coarser: one millisecond for this many waits. */
const WAITS_FOR_A_MS = 50;
/** A quiet time allows at most this much of a head start. */
const LONGEST_CREDIT_MS = 50;

/**
 * Decides when the waits of one connection read their jobs. Each wait reads at most as often as a wait on its own. All waits
 * together stay below a rate, and if the service has a cheap list, one poll of the list replaces their reads. Pure: it reads
 * no clock, starts no timer and sends nothing.
 */
export class PollScheduler<Poll extends ScheduledPoll> {
	private readonly polls = new Set<Poll>();
	private lastReadAt = -Infinity;
	private fastUntil = -Infinity;
	private listPoll: ListPollState = { kind: 'idle', endedAt: -Infinity };
	private listPausedUntil = -Infinity;
	private requestsOfListPoll = 1;

	constructor(private readonly times: SharedTimes = SHARED_TIMES) {}

	get isEmpty(): boolean {
		return this.polls.size === 0;
	}

	/** Returns the shortest time to set a timer for, in milliseconds. */
	get shortestTimerMs(): number {
		return this.polls.size / WAITS_FOR_A_MS;
	}

	/** Returns all waits; the one that has paused longest comes first. */
	get all(): Iterable<Poll> {
		return this.polls;
	}

	has(poll: Poll): boolean {
		return this.polls.has(poll);
	}

	add(poll: Poll, now: number): void {
		if (this.isEmpty && this.listPoll.kind === 'idle') this.listPoll = { kind: 'idle', endedAt: now };
		this.polls.add(poll);
	}

	remove(poll: Poll): void {
		this.polls.delete(poll);
	}

	/**
	 * The wait has just read its job, and pauses. Moves it to the end, and gives it a random slack, so that waits that began
	 * together do not read together.
	 * @param random from 0 to 1.
	 */
	startPause(poll: Poll, random: number): void {
		if (this.polls.delete(poll)) this.polls.add(poll);
		const { roundMs, readsApartMs } = this.times;
		const spareMs = Math.min(roundMs, readsApartMs * this.polls.size) - poll.intervalMs;
		poll.slackMs = isUrgent(poll) ? 0 : 2 * random * Math.max(0, spareMs);
	}

	/** A job has ended. Other jobs of the same batch may end soon, so reads become more frequent for a while. */
	speedUp(now: number): void {
		this.fastUntil = now + this.times.fastMs;
	}

	/** Returns the waits to notify now, and when the next one may be due. Each of them must leave its pause. */
	takeDue(now: number): { due: Poll[]; nextAt: number } {
		const apartMs = this.readsApartMs(now);
		const usesList = this.usesList(now);
		this.lastReadAt = Math.max(this.lastReadAt, now - Math.max(apartMs, LONGEST_CREDIT_MS));
		const due: Poll[] = [];
		let nextAt = Infinity;
		for (const poll of this.polls) {
			if (!poll.isIdle) continue;
			const slackMs = now < this.fastUntil ? 0 : poll.slackMs;
			const dueAt = (usesList ? this.dueBesideList(poll) : poll.dueAt) + slackMs;
			const allowedAt = isUrgent(poll) ? -Infinity : this.lastReadAt + apartMs;
			if (dueAt <= now && allowedAt <= now) {
				if (!isUrgent(poll)) this.lastReadAt += apartMs;
				due.push(poll);
			} else nextAt = Math.min(nextAt, Math.max(dueAt, allowedAt));
		}
		return { due, nextAt };
	}

	private readsApartMs(now: number): number {
		const { roundMs, fastRoundMs, readsApartMs } = this.times;
		return Math.min(readsApartMs, (now < this.fastUntil ? fastRoundMs : roundMs) / this.polls.size);
	}

	/** A wait whose job the list confirms to run needs no read of its own, except from time to time if the job is absent. */
	private dueBesideList(poll: Poll): number {
		const { listStatus, dueAt, readAt } = poll;
		const isCovered = !isUrgent(poll) && poll.isJobKnown && (listStatus.kind === 'pending' || confirmsRunning(listStatus));
		if (!isCovered) return dueAt;
		return listStatus.kind === 'absent' ? readAt + this.times.absentMs : Infinity;
	}

	/** Whether list polls replace reads. A poll that takes too long does not. */
	private usesList(now: number): boolean {
		const isSlow = this.listPoll.kind === 'polling' && now - this.listPoll.startedAt >= LONGEST_LIST_POLL_MS;
		const [first] = this.polls;
		const isWorthIt = this.polls.size >= FEWEST_FOR_LIST && first?.hasCheapList === true;
		return isWorthIt && !isSlow && now >= this.listPausedUntil;
	}

	/** Returns when the list is to be polled; Infinity if it is not used, or is being polled. */
	nextListPollAt(now: number): number {
		if (this.listPoll.kind === 'polling' || !this.usesList(now)) return Infinity;
		let readsPerMs = 0;
		let shortestMs = Infinity;
		for (const { isIdle, intervalMs } of this.polls) {
			if (!isIdle) continue;
			readsPerMs += 1 / intervalMs;
			shortestMs = Math.min(shortestMs, intervalMs);
		}
		if (readsPerMs === 0) return Infinity;
		const pageFactor = 1 + (this.requestsOfListPoll - 1) * DELAY_FOR_A_PAGE;
		const leastMs = Math.max(this.times.listPollsApartMs, now < this.fastUntil ? 0 : shortestMs / LIST_POLLS_IN_AN_INTERVAL);
		return this.listPoll.endedAt + Math.max(this.requestsOfListPoll / readsPerMs, leastMs * pageFactor);
	}

	/** Returns when a running list poll counts as slow; Infinity if it does already, or if none runs. */
	nextSlowListAt(now: number): number {
		if (this.listPoll.kind === 'idle') return Infinity;
		const at = this.listPoll.startedAt + LONGEST_LIST_POLL_MS;
		return at > now ? at : Infinity;
	}

	get isPollingList(): boolean {
		return this.listPoll.kind === 'polling';
	}

	startListPoll(now: number): void {
		this.listPoll = { kind: 'polling', startedAt: now };
	}

	/** No job could be searched for. */
	skipListPoll(now: number): void {
		this.listPoll = { kind: 'idle', endedAt: now };
	}

	finishListPoll({ requests, known, searched }: ListPollResult, now: number): void {
		this.listPoll = { kind: 'idle', endedAt: now };
		this.requestsOfListPoll = requests;
		if (known < LEAST_KNOWN_PER_REQUEST * requests && known < searched) this.listPausedUntil = now + this.times.listPauseMs;
	}

	/** @param isListFault false if the poll was stopped together with its wait. Then another wait repeats it immediately. */
	failListPoll(isListFault: boolean, now: number): void {
		this.listPoll = { kind: 'idle', endedAt: isListFault ? now : -Infinity };
		if (isListFault) this.listPausedUntil = now + this.times.listPauseMs;
	}

	/** Takes over what the list says about a job. @returns whether the wait must read its job now, because it has ended. */
	setListStatus(poll: Poll, status: ListStatus, now: number): boolean {
		const before = poll.listStatus;
		poll.listStatus = status;
		if (confirmsRunning(status)) {
			// Counts like a read that found the job running.
			if (poll.intervalMs < LONGEST_INTERVAL_MS) poll.intervalMs = toLongerInterval(poll.intervalMs);
			poll.dueAt = now + poll.intervalMs;
		} else if (confirmsRunning(before)) {
			poll.slackMs = 0;
			poll.dueAt = Math.min(poll.dueAt, poll.readAt + poll.intervalMs);
		}
		// Reports an end once. If the read does not show it yet, the wait repeats it after its interval.
		return isEnd(status) && !isEnd(before);
	}
}

/** The stream reported the end, and the next read should show it. */
const isUrgent = ({ intervalMs }: ScheduledPoll): boolean => intervalMs < FIRST_INTERVAL_MS;

const isEnd = (status: ListStatus): boolean => status.kind === 'listed' && isTerminal(status.job.status);

const confirmsRunning = (status: ListStatus): boolean => status.kind === 'absent' || (status.kind === 'listed' && !isEnd(status));
