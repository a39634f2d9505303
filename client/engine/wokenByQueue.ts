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
					// What runs is no longer in the queue, and its own frames tell the rest.
				if (event.kind === 'queue' && !feed.wasHeardFromStart(jobId)) alarm.ring();
					listener.onEvent(event, ofJob, raw);
				},
				onTrouble: (error, retryInMs) => listener.onTrouble(error, retryInMs),
			},
			signal,
		);
		await looking;

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
