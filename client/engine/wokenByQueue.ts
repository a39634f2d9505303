import type { CallOptions, JobFeed } from '../services';
import { Alarm } from '../transport/alarm';
import { outcomeOf } from '../transport/outcome';
import type { StatusEvent } from '../v1/events';
import { untilNextLook } from './pace';

/**
 * An engine tells a job's own news to nobody but its submitter, and everybody that its queue has changed: then the job's
 * status is read, and told as if it had come.
 */
export const wokenByQueue = (feed: Pick<JobFeed, 'follow'>, jobId: string, readStatus: (options: CallOptions) => Promise<StatusEvent>): Pick<JobFeed, 'follow'> => ({
	follow: async (listener, signal) => {
		const alarm = new Alarm();
		const looking = keepLooking();
		await feed.follow(
			{
				onConnect: () => listener.onConnect(),
				onEvent: (event, ofJob, raw) => {
					if (event.kind === 'queue') alarm.ring();
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
