import { clock } from '../clock';
import type { Job } from '../job';
import type { JobService } from '../ports';
import { Alarm } from '../transport/alarm';
import type { ListStatus, ScheduledPoll } from './pollScheduler';

/** Why a wait leaves its pause: its read is due, its stream changed, or the list shows the end of its job. */
export type WakeReason = 'due' | 'stream' | 'list';

export interface PollerParts {
	jobs: JobService;
	/** Returns the job, as far as it is known. */
	job: () => Job | undefined;
	/** Called when the list contains the job. */
	onListed: (job: Job) => void;
	/** Fires when the wait is over. */
	signal: AbortSignal;
}

/** One of the waits that share streams and reads: its place in the schedule, and its pauses. */
export class Poller implements ScheduledPoll {
	isIdle = false;
	dueAt = Infinity;
	intervalMs = Infinity;
	slackMs = 0;
	readAt = clock.now();
	listStatus: ListStatus = { kind: 'pending' };
	private readonly alarm = new Alarm();
	private reasons = new Set<WakeReason>();

	constructor(readonly parts: PollerParts) {}

	get isJobKnown(): boolean {
		return this.parts.job() !== undefined;
	}

	get hasCheapList(): boolean {
		return this.parts.jobs.capabilities.hasCheapList;
	}

	/** Pauses until the wait is woken. @returns the reasons. @throws StoppedError when the wait is over. */
	async pause(intervalMs: number): Promise<ReadonlySet<WakeReason>> {
		this.intervalMs = intervalMs;
		this.dueAt = clock.now() + intervalMs;
		this.isIdle = true;
		try {
			await this.alarm.sleep(Infinity, this.parts.signal);
		} finally {
			this.isIdle = false;
		}
		const { reasons } = this;
		this.reasons = new Set();
		return reasons;
	}

	wake(reason: WakeReason): void {
		this.isIdle = false;
		this.reasons.add(reason);
		this.alarm.ring();
	}
}
