import { throwIfStopped } from '../async/stoppableWait';
import { Alarm } from '../async/alarm';
import { clock, type Timer } from '../async/clock';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';
import type { CacheLimits } from '../cache/cache';
import { StoppedError } from '../errors/errors';
import { isTerminal, type Job, type JobEvent } from '../ports/job';
import type { CallOptions, StreamOptions } from '../ports/jobService';
import type { SocketFeed } from './socketFeed';

/** The last frame may arrive just before we follow, and before the service's records show the end. So the status is read again. */
const SECOND_READ_AFTER_MS = 1_500;
/** The queue of a busy engine changes with every node. One read serves several changes. */
const MIN_POLL_INTERVAL_MS = 250;

/** How many jobs that ended are kept, and how long: from the event about the end to the read that follows. Such a job does not change. */
export const FINISHED_JOBS: CacheLimits = { mostEntries: 1_000, ttlMs: 1_000 };

export type StatusEvent = Extract<JobEvent, { kind: 'status' }>;

export const toStatusEvent = ({ status, service_status, queue_position }: Job): StatusEvent => ({
	kind: 'status',
	status,
	service_status,
	queue_position,
});

/** Pauses between two reads of the queue. A stop ends the pause at once, without an error. */
export async function pauseBetweenPolls(signal: AbortSignal): Promise<void> {
	await outcomeOf(delay(MIN_POLL_INTERVAL_MS, signal));
}

export interface FollowOptions extends StreamOptions {
	readStatus(options: CallOptions): Promise<StatusEvent>;
	/** The service sends the events of a job only to its submitter, but changes of the queue to everyone. Such a change leads to a read. */
	readsOnQueueChange?: boolean;
}

/**
 * Yields the events of one job from the shared feed, for as long as the feed is connected. The feed does not repeat earlier
 * events, so the status is read first, unless the feed has received all events of the job.
 * @throws the error of the feed or of the first read; StoppedError.
 */
export async function* followJob(
	feed: SocketFeed,
	job: Job,
	{ readStatus, readsOnQueueChange = false, signal, onOpen }: FollowOptions,
): AsyncGenerator<JobEvent, void, undefined> {
	throwIfStopped(signal);
	// All jobs share one socket, so the service does not grant each stream separately.
	onOpen?.();
	const ending = new AbortController();
	const buffer = new JobEventBuffer(feed, job.job_id);
	const addRead = async (): Promise<void> => await buffer.addRead(readStatus({ signal: ending.signal }));
	let secondRead: Timer | undefined;
	void outcomeOf(feed.follow(buffer, ending.signal)).then(() => buffer.onTrouble(new StoppedError()));
	if (readsOnQueueChange) void buffer.readOnQueueChange(addRead, ending.signal);
	try {
		await buffer.untilConnected(signal ?? ending.signal);
		const hasAllEvents = feed.hasAllEvents(job.job_id);
		const status = hasAllEvents ? toStatusEvent(job) : await readStatus({ signal });
		yield status;
		if (isTerminal(status.status)) return;
		if (!hasAllEvents) secondRead = clock.after(SECOND_READ_AFTER_MS, () => void addRead());
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
	private readonly queueChange = new Alarm();
	private isConnected = false;
	private waiting: JobEvent[] = [];
	private failure?: { error: unknown };

	constructor(
		private readonly feed: SocketFeed,
		private readonly jobId: string,
	) {}

	onConnect(): void {
		this.isConnected = true;
		this.alarm.ring();
	}

	onEvent(event: JobEvent, jobId: string | null): void {
		if (event.kind === 'queue' && this.needsRead(event.queue_remaining)) this.queueChange.ring();
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

	/** Never rejects. @param addRead adds the current status. */
	async readOnQueueChange(addRead: () => Promise<void>, signal: AbortSignal): Promise<void> {
		while ((await outcomeOf(this.queueChange.sleep(Infinity, signal))).ok) {
			await addRead();
			await pauseBetweenPolls(signal);
		}
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

	/** The job's own frames report its run, but not its removal from the queue. */
	private needsRead(remaining: number | null): boolean {
		if (this.feed.isTrackedFromStart(this.jobId)) return false;
		return !this.feed.hasAllEvents(this.jobId) || (remaining ?? 0) === 0;
	}

	private async untilChanged(signal: AbortSignal): Promise<void> {
		if (this.failure === undefined) await this.alarm.sleep(Infinity, signal);
		if (this.failure !== undefined) throw this.failure.error;
	}
}
