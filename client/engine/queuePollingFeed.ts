import type { FollowableFeed, StatusEvent } from '../comfyui/followJob';
import type { SocketFeed } from '../comfyui/socketFeed';
import type { CallOptions, FeedListener } from '../ports/jobService';
import { Alarm } from '../async/alarm';
import { delay } from '../async/delay';
import { outcomeOf } from '../async/outcome';

/** The queue of a busy engine changes with every node. One read serves several changes. */
const MIN_POLL_INTERVAL_MS = 250;

/** Pauses between two reads of the queue. A stop ends the pause at once, without an error. */
export async function pauseBetweenPolls(signal: AbortSignal): Promise<void> {
	await outcomeOf(delay(MIN_POLL_INTERVAL_MS, signal));
}

/**
 * The events of one job. An engine sends them only to the submitter of the job, but reports queue changes to everyone. On
 * such a change this feed reads the job's status and reports it as an event.
 */
export class QueuePollingFeed implements FollowableFeed {
	constructor(
		private readonly feed: FollowableFeed & Pick<SocketFeed, 'isTrackedFromStart'>,
		private readonly jobId: string,
		private readonly readStatus: (options: CallOptions) => Promise<StatusEvent>,
	) {}

	hasAllEvents(jobId: string): boolean {
		return this.feed.hasAllEvents(jobId);
	}

	async follow(listener: FeedListener, signal: AbortSignal): Promise<void> {
		const queueChange = new Alarm();
		const following = this.feed.follow(
			{
				onConnect: () => listener.onConnect(),
				onEvent: (event, jobId, raw) => {
					if (event.kind === 'queue' && this.needsPoll(event.queue_remaining)) queueChange.ring();
					listener.onEvent(event, jobId, raw);
				},
				onTrouble: (error, retryInMs) => listener.onTrouble(error, retryInMs),
			},
			signal,
		);
		await Promise.race([following, this.pollOnChange(queueChange, listener, signal)]);
	}

	/** The job's own frames report its run, but not its removal from the queue. */
	private needsPoll(remaining: number | null): boolean {
		if (this.feed.isTrackedFromStart(this.jobId)) return false;
		return !this.feed.hasAllEvents(this.jobId) || (remaining ?? 0) === 0;
	}

	private async pollOnChange(queueChange: Alarm, listener: FeedListener, signal: AbortSignal): Promise<void> {
		while ((await outcomeOf(queueChange.sleep(Infinity, signal))).ok) {
			const read = await outcomeOf(this.readStatus({ signal }));
			// A failed read is harmless, because the job is polled as well.
			if (read.ok) listener.onEvent(read.value, this.jobId, read.value);
			await pauseBetweenPolls(signal);
		}
	}
}
