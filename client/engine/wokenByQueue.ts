import type { FollowableFeed, StatusEvent } from '../comfyui/followJob';
import type { TrackedFeed } from '../comfyui/socketFeed';
import type { CallOptions } from '../ports';
import { Alarm } from '../transport/alarm';
import { delay } from '../transport/delay';
import { outcomeOf } from '../transport/outcome';

/** The queue changes with every node of a busy engine: one look serves several changes. */
const LOOK_AT_MOST_EVERY_MS = 250;

/** Between two looks at an engine. A stop ends it at once, without an error. */
export const untilNextLook = async (signal: AbortSignal): Promise<void> => void (await outcomeOf(delay(LOOK_AT_MOST_EVERY_MS, signal)));

/**
 * An engine tells a job's own news to nobody but its submitter, and everybody that its queue has changed: then the job's
 * status is read, and told as if it had come.
 */
export const wokenByQueue = (
	feed: FollowableFeed & Pick<TrackedFeed, 'isTrackedFromStart'>,
	jobId: string,
	readStatus: (options: CallOptions) => Promise<StatusEvent>,
): FollowableFeed => ({
	hasAllEvents: (ofJob) => feed.hasAllEvents(ofJob),
	follow: async (listener, signal) => {
		const alarm = new Alarm();
		const looking = keepLooking();
		await feed.follow(
			{
				onConnect: () => listener.onConnect(),
				onEvent: (event, ofJob, raw) => {
					if (event.kind === 'queue' && mayConcern(event.queue_remaining)) alarm.ring();
					listener.onEvent(event, ofJob, raw);
				},
				onTrouble: (error, retryInMs) => listener.onTrouble(error, retryInMs),
			},
			signal,
		);
		await looking;

		/** A job's own frames tell of its run; only that it was taken out of the queue they do not tell. */
		function mayConcern(remaining: number | null): boolean {
			if (feed.isTrackedFromStart(jobId)) return false;
			return !feed.hasAllEvents(jobId) || (remaining ?? 0) === 0;
		}

		async function keepLooking(): Promise<void> {
			while ((await outcomeOf(alarm.sleep(Infinity, signal))).ok) {
				const read = await outcomeOf(readStatus({ signal }));
				// A read that fails is no loss: the job is read by and by.
				if (read.ok) listener.onEvent(read.value, jobId, read.value);
				await untilNextLook(signal);
			}
		}
	},
});
