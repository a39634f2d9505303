import { clock, type Timer } from '../async/clock';
import { runAsShared } from '../log/observer';
import { outcomeOf } from '../async/outcome';
import { Slots } from '../async/slots';
import { ListPoll } from './listPoll';
import type { Poller } from './poller';
import { StreamLimiter } from './streamLimiter';

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

/**
 * What all waits of one connection share, also across executions: event streams, the times of their reads, and the polls of
 * the job list. Each wait reads at most as often as a wait on its own. All waits together stay below a rate, and if the service
 * has a cheap list, one poll of the list replaces their reads. Each wait uses its own service, so it does not end with another
 * wait.
 */
export class SharedPolling {
	readonly streams = new StreamLimiter();
	/** The one that has paused longest comes first. */
	private readonly pollers = new Set<Poller>();
	private readonly list = new ListPoll(this.pollers);
	/** Each read runs when a slot is free. */
	readonly reads = new Slots(MOST_READS_AT_ONCE);
	private nextReadAt = -Infinity;
	private fastUntil = -Infinity;
	private timer?: Timer;
	private timerAt = Infinity;

	get isInUse(): boolean {
		return this.pollers.size > 0 || this.streams.isInUse;
	}

	join(poller: Poller): void {
		if (this.pollers.size === 0) this.list.restart();
		this.pollers.add(poller);
	}

	leave(poller: Poller): void {
		this.pollers.delete(poller);
		if (this.pollers.size === 0) this.setTimer(Infinity);
	}

	/** Pauses the wait until its next read is due, or its stream changed. @returns whether the read is due. @throws StoppedError. */
	async pause(poller: Poller, intervalMs: number): Promise<boolean> {
		const pausing = poller.pause(intervalMs);
		if (this.pollers.delete(poller)) this.pollers.add(poller);
		if (poller.dueAt() < this.timerAt) this.setTimer(poller.dueAt());
		return await pausing;
	}

	/** Call this when a job has ended. Other jobs of the same batch may end soon, so reads become more frequent for a while. */
	speedUp(): void {
		this.fastUntil = clock.now() + FAST_MS;
		if (this.pollers.size > 0) this.setTimer(Math.min(this.timerAt, clock.now()));
	}

	private setTimer(at: number): void {
		clearTimeout(this.timer);
		this.timerAt = at;
		const leastMs = this.pollers.size / WAITS_FOR_A_MS;
		if (at < Infinity) this.timer = clock.after(Math.max(leastMs, at - clock.now()), () => this.tick());
	}

	private tick(): void {
		const now = clock.now();
		const isFast = now < this.fastUntil;
		if (this.list.nextAt(isFast) <= now) void this.pollList();
		const listBy = this.list.answersBy(isFast);
		const apartMs = Math.min(READS_APART_MS, (isFast ? FAST_ROUND_MS : ROUND_MS) / this.pollers.size);
		let nextAt = this.list.nextAt(isFast);
		for (const poller of this.pollers) {
			if (!poller.isIdle) continue;
			const dueAt = poller.dueAt(apartMs * this.pollers.size, listBy);
			const notBefore = poller.isUrgent ? -Infinity : this.nextReadAt;
			if (dueAt > now || notBefore - BATCH_MS > now) nextAt = Math.min(nextAt, Math.max(dueAt, notBefore));
			else {
				if (!poller.isUrgent) this.nextReadAt = Math.max(this.nextReadAt, now) + apartMs;
				poller.wake(true);
			}
		}
		this.setTimer(nextAt);
	}

	private async pollList(): Promise<void> {
		await outcomeOf(runAsShared(async () => await this.list.run()));
		if (this.pollers.size > 0) this.tick();
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
