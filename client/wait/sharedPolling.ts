import { clock, type Timer } from '../clock';
import { runAsShared } from '../observer';
import type { CallOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';
import { Slots } from '../transport/slots';
import type { Poller, WakeReason } from './poller';
import { PollScheduler } from './pollScheduler';
import { findSearchable, type ListPoll, SharedListPoll } from './sharedListPoll';
import { StreamLimiter } from './streamLimiter';
import { SHARED_TIMES, type SharedTimes } from './waitTimes';

/** Each read needs a connection. */
const MOST_READS_AT_ONCE = 64;

/**
 * What all waits of one connection share, also across executions: event streams, the schedule of their reads, and the polls
 * of the job list. It runs the timer for `PollScheduler`, and carries out what the scheduler decides. Each wait uses its own
 * service, so it does not end with another wait.
 */
export class SharedPolling {
	readonly streams: StreamLimiter;
	private readonly scheduler: PollScheduler<Poller>;
	private readonly listPoll = new SharedListPoll();
	private readonly reads = new Slots(MOST_READS_AT_ONCE);
	private timer?: Timer;
	private timerAt = Infinity;

	constructor(times: SharedTimes = SHARED_TIMES) {
		this.streams = new StreamLimiter(times);
		this.scheduler = new PollScheduler(times);
	}

	get isInUse(): boolean {
		return !this.scheduler.isEmpty || this.streams.isInUse;
	}

	join(poller: Poller): void {
		this.scheduler.add(poller, clock.now());
	}

	leave(poller: Poller): void {
		this.scheduler.remove(poller);
		if (this.scheduler.isEmpty) this.setTimer(Infinity);
	}

	/** Runs a read when one of the slots is free. @throws as the read does; StoppedError if the signal fires before. */
	async read<T>(read: () => Promise<T>, { signal }: CallOptions): Promise<T> {
		return await this.reads.run(read, signal);
	}

	/** Pauses the wait until its next read is due, or until something wakes it. @returns the reasons. @throws StoppedError. */
	async pause(poller: Poller, intervalMs: number): Promise<ReadonlySet<WakeReason>> {
		const pausing = poller.pause(intervalMs);
		this.scheduler.startPause(poller, Math.random());
		if (poller.dueAt < this.timerAt) this.setTimer(poller.dueAt);
		return await pausing;
	}

	/** Call this when a job has ended. */
	speedUp(): void {
		this.scheduler.speedUp(clock.now());
		if (!this.scheduler.isEmpty) this.setTimer(Math.min(this.timerAt, clock.now() + this.scheduler.shortestTimerMs));
	}

	private setTimer(at: number): void {
		clearTimeout(this.timer);
		this.timerAt = at;
		if (at < Infinity) this.timer = clock.after(Math.max(this.scheduler.shortestTimerMs, at - clock.now()), () => this.tick());
	}

	private tick(): void {
		const now = clock.now();
		const listPollAt = this.scheduler.nextListPollAt(now);
		if (listPollAt <= now) void this.pollList();
		const { due, nextAt } = this.scheduler.takeDue(now);
		for (const poller of due) poller.wake('due');
		this.setTimer(Math.min(nextAt, this.scheduler.isPollingList ? this.scheduler.nextSlowListAt(now) : listPollAt));
	}

	private async pollList(): Promise<void> {
		const searched = findSearchable(this.scheduler.all);
		const [first] = searched;
		if (first === undefined) return this.scheduler.skipListPoll(clock.now());
		this.scheduler.startListPoll(clock.now());
		const polled = await outcomeOf(runAsShared(async () => await this.listPoll.run(first, searched)));
		if (polled.ok) this.applyListPoll(polled.value);
		else this.scheduler.failListPoll(this.scheduler.has(first) && !first.parts.signal.aborted, clock.now());
		if (!this.scheduler.isEmpty) this.tick();
	}

	private applyListPoll({ result, statuses }: ListPoll): void {
		const now = clock.now();
		this.scheduler.finishListPoll(result, now);
		for (const [poller, status] of statuses) {
			if (status.kind === 'listed') poller.parts.onListed(status.job);
			if (this.scheduler.setListStatus(poller, status, now)) poller.wake('list');
		}
	}
}

/** By the identity of the connection, as long as any wait uses it. */
const SHARED = new Map<string, SharedPolling>();

/** Returns what the waits of a connection share. */
export function sharedPollingOf(identity: string): SharedPolling {
	for (const [known, { isInUse }] of SHARED) if (!isInUse) SHARED.delete(known);
	const shared = SHARED.get(identity) ?? new SharedPolling();
	SHARED.set(identity, shared);
	return shared;
}
