import type { CallOptions } from '../services';
import { Alarm } from '../transport/alarm';
import { outcomeOf } from '../transport/outcome';
import type { FollowedFeed, StatusEvent } from '../v1/events';
import type { JobNews } from '../v1/news';
import { untilNextLook } from './pace';

/**
 * An engine tells a job's own news to nobody but its submitter, and everybody that its queue has changed: then the job's
 * status is read, and told as if it had come.
 */
export const wokenByQueue = (feed: FollowedFeed & Pick<JobNews, 'wasHeardFromStart'>, jobId: string, readStatus: (options: CallOptions) => Promise<StatusEvent>): FollowedFeed => ({
	hearsAll: (ofJob) => feed.hearsAll(ofJob),
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
			if (feed.wasHeardFromStart(jobId)) return false;
			return !feed.hearsAll(jobId) || (remaining ?? 0) === 0;
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
