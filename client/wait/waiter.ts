import { clock } from '../clock';
import type { Job } from '../job';
import type { JobService } from '../ports';
import { Alarm } from '../transport/alarm';

/** Why a wait goes on. */
export type Call = 'turn' | 'stream' | 'list';

/** What a list says of a job: how it stands; that it would be listed if it had ended; or nothing that can be believed. */
export type ListWord = Job | 'silent' | 'unknown';

export interface WaiterParts {
	jobs: JobService;
	/** As far as it is known. */
	job: () => Job | undefined;
	/** A list tells how the job stands. */
	onListed: (job: Job) => void;
	/** Fires when the wait is over. */
	signal: AbortSignal;
}

/** One wait's place among those that share streams and reads. */
export class Waiter {
	/** It rests until it is called. */
	isResting = false;
	/** When its job is to be read, by the clock, and how long it has rested by then. */
	dueAt = Infinity;
	restMs = Infinity;
	/** How much longer it may rest while many do. */
	slackMs = 0;
	/** When its job was read last. */
	readAt = clock.now();
	/** What the latest look at the list said. */
	word?: ListWord;
	private readonly alarm = new Alarm();
	private calls = new Set<Call>();

	constructor(readonly parts: WaiterParts) {}

	/** @throws StoppedError when the wait is over. */
	async rest(milliseconds: number): Promise<ReadonlySet<Call>> {
		this.restMs = milliseconds;
		this.dueAt = clock.now() + milliseconds;
		this.isResting = true;
		try {
			await this.alarm.sleep(Infinity, this.parts.signal);
		} finally {
			this.isResting = false;
		}
		const { calls } = this;
		this.calls = new Set();
		return calls;
	}

	call(reason: Call): void {
		this.isResting = false;
		this.calls.add(reason);
		this.alarm.ring();
	}
}
