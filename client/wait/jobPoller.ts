import { clock, type Timer } from '../async/clock';
import { outcomeOf } from '../async/outcome';
import { Slots } from '../async/slots';
import { runAsShared } from '../log/observer';
import { ListPoll } from './listPoll';
import { StreamLimiter } from './streamLimiter';
import type { PolledJob } from './polledJob';

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
