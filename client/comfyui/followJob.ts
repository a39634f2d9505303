import { clock, type Timer } from '../async/clock';
import type { CacheLimits } from '../cache/cache';
import { onePerKey } from '../cache/onePerKey';
import type { Connection } from '../connection/connection';
import { StoppedError } from '../errors/errors';
import { isTerminal, type Job, type JobEvent } from '../ports/job';
import type { CallOptions, StreamOptions } from '../ports/jobService';
import { untilStopped } from '../async/abort';
import { Alarm } from '../async/alarm';
import { throwIfStopped, within } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import type { SocketFeed } from './socketFeed';

/** The last frame may arrive just before we follow, and before the service's records show the end. So the status is read again. */
const SECOND_READ_AFTER_MS = 1_500;

/** How many jobs that ended are kept, and how long: from the event about the end to the read that follows. Such a job does not change. */
export const FINISHED_JOBS: CacheLimits = { mostEntries: 1_000, ttlMs: 1_000 };

export type StatusEvent = Extract<JobEvent, { kind: 'status' }>;

export type FollowableFeed = Pick<SocketFeed, 'follow' | 'hasAllEvents'>;

export const toStatusEvent = ({ status, service_status, queue_position }: Job): StatusEvent => ({
	kind: 'status',
	status,
	service_status,
	queue_position,
});

/**
 * Yields the events of one job from the shared feed, for as long as the feed is connected. The feed does not repeat earlier
 * events, so the status is read first, unless the feed has received all events of the job.
 * @throws the error of the feed or of the read; StoppedError.
 */
export async function* followJob(
	feed: FollowableFeed,
	job: Job,
	readStatus: (options: CallOptions) => Promise<StatusEvent>,
	{ signal, onOpen }: StreamOptions,
): AsyncGenerator<JobEvent, void, undefined> {
	throwIfStopped(signal);
	// All jobs share one socket, so the service does not grant each stream separately.
	onOpen?.();
	const ending = new AbortController();
	const buffer = new JobEventBuffer(job.job_id);
	let secondRead: Timer | undefined;
	void outcomeOf(feed.follow(buffer, ending.signal)).then(() => buffer.onTrouble(new StoppedError()));
	try {
		await buffer.untilConnected(signal ?? ending.signal);
		const hasAllEvents = feed.hasAllEvents(job.job_id);
		const status = hasAllEvents ? toStatusEvent(job) : await readStatus({ signal });
		yield status;
		if (isTerminal(status.status)) return;
		if (!hasAllEvents) secondRead = clock.after(SECOND_READ_AFTER_MS, () => void buffer.addRead(readStatus({ signal: ending.signal })));
		for await (const event of buffer.events(signal ?? ending.signal)) {
			yield event;
			if (event.kind === 'status' && isTerminal(event.status)) return;
		}
	} finally {
		clearTimeout(secondRead);
		ending.abort();
	}
}

/** Keeps the events of one job until they are taken. */
class JobEventBuffer {
	private readonly alarm = new Alarm();
	private isConnected = false;
	private waiting: JobEvent[] = [];
	private failure?: { error: unknown };

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
		this.failure = { error };
		this.alarm.ring();
	}

	/** Adds the status that was read. A failed read is ignored, because the wait reads the job again later. */
	async addRead(reading: Promise<StatusEvent>): Promise<void> {
		const read = await outcomeOf(reading);
		if (read.ok) this.onEvent(read.value, this.jobId);
	}

	async untilConnected(signal: AbortSignal): Promise<void> {
		while (!this.isConnected) await this.untilChanged(signal);
	}

	/** Never ends by itself. @throws the feed's error; StoppedError. */
	async *events(signal: AbortSignal): AsyncGenerator<JobEvent, void, undefined> {
		for (;;) {
			const ready = this.waiting;
			this.waiting = [];
			yield* ready;
			if (this.waiting.length === 0) await this.untilChanged(signal);
		}
	}

	private async untilChanged(signal: AbortSignal): Promise<void> {
		if (this.failure === undefined) await this.alarm.sleep(Infinity, signal);
		if (this.failure !== undefined) throw this.failure.error;
	}
}

/** Listening early only saves requests, so it delays a submission by this much at most. */
const LONGEST_OPENING_MS = 2_000;

/**
 * Opens the live feed of v1 and engines, and keeps it until the connection is closed. No event of a job that is submitted
 * afterwards is missed, so that its status is not read. Resolves when the feed is open or cannot be opened, at once without a feed.
 * @throws StoppedError.
 */
export async function listenAhead(connection: Connection, { signal }: CallOptions = {}): Promise<void> {
	await untilStopped(openFeedOf(connection), signal);
}

const openFeedOf = onePerKey(async ({ feed }: Connection): Promise<void> => {
	if (feed === undefined) return;
	const opened = new Promise<void>((resolve) => {
		void feed.follow({ onConnect: resolve, onTrouble: () => resolve(), onEvent: () => undefined }).then(resolve);
	});
	await within(LONGEST_OPENING_MS, opened);
});
