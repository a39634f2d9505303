import { clock, type Timer } from '../clock';
import { isTerminal, type Job, type JobEvent } from '../job';
import type { CallOptions, JobFeed, StreamOptions } from '../ports';
import { Alarm } from '../transport/alarm';
import { throwIfStopped } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';
import type { JobNews } from './jobNews';

/** The last frame may come just before we listen, and before the records know of the end: they are looked at once more. */
const SECOND_LOOK_MS = 1_500;

export type StatusEvent = Extract<JobEvent, { kind: 'status' }>;

export type FollowedFeed = Pick<JobFeed, 'follow'> & Pick<JobNews, 'hearsAll'>;

export const statusEventOf = ({ status, service_status, queue_position }: Job): StatusEvent => ({
	kind: 'status',
	status,
	service_status,
	queue_position,
});

/**
 * One job's part of the shared feed, for as long as it is connected. What happened before is not told, so the status is
 * read first, unless the feed has heard everything.
 * @throws the feed's trouble; the read's error; StoppedError.
 */
export async function* followJob(
	feed: FollowedFeed,
	job: Job,
	readStatus: (options: CallOptions) => Promise<StatusEvent>,
	{ signal, onOpen }: StreamOptions,
): AsyncGenerator<JobEvent, void, undefined> {
	throwIfStopped(signal);
	// Whoever follows shares one socket, which nobody grants one by one.
	onOpen?.();
	const leaving = new AbortController();
	const inbox = new Inbox(job.job_id);
	let secondLook: Timer | undefined;
	void outcomeOf(feed.follow(inbox, leaving.signal));
	try {
		await inbox.connected(signal ?? leaving.signal);
		const isHeard = feed.hearsAll(job.job_id);
		const status = isHeard ? statusEventOf(job) : await readStatus({ signal });
		yield status;
		if (isTerminal(status.status)) return;
		if (!isHeard) secondLook = clock.after(SECOND_LOOK_MS, () => void inbox.lookAgain(readStatus({ signal: leaving.signal })));
		for await (const event of inbox.events(signal ?? leaving.signal)) {
			yield event;
			if (event.kind === 'status' && isTerminal(event.status)) return;
		}
	} finally {
		clearTimeout(secondLook);
		leaving.abort();
	}
}

/** What the feed tells of one job until it is asked for. */
class Inbox {
	private readonly alarm = new Alarm();
	private isConnected = false;
	private waiting: JobEvent[] = [];
	private trouble?: { error: unknown };

	constructor(private readonly jobId: string) {}

	onConnect(): void {
		this.isConnected = true;
		this.alarm.ring();
	}

	onEvent(event: JobEvent, jobId: string | null): void {
		if (jobId !== this.jobId) return;
		this.waiting.push(event);
		this.alarm.ring();
	}

	onTrouble(error: unknown): void {
		this.trouble = { error };
		this.alarm.ring();
	}

	/** A read that fails is no loss: the job is read by and by. */
	async lookAgain(reading: Promise<StatusEvent>): Promise<void> {
		const read = await outcomeOf(reading);
		if (read.ok) this.onEvent(read.value, this.jobId);
	}

	async connected(signal: AbortSignal): Promise<void> {
		while (!this.isConnected) await this.rung(signal);
	}

	/** Never ends by itself. */
	async *events(signal: AbortSignal): AsyncGenerator<JobEvent, void, undefined> {
		for (;;) {
			const ready = this.waiting;
			this.waiting = [];
			yield* ready;
			if (this.waiting.length === 0) await this.rung(signal);
		}
	}

	private async rung(signal: AbortSignal): Promise<void> {
		if (this.trouble === undefined) await this.alarm.sleep(Infinity, signal);
		if (this.trouble !== undefined) throw this.trouble.error;
	}
}
