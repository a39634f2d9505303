import { untilStopped } from '../async/stoppableWait';
import { within } from '../async/delay';
import { onePerKey } from '../cache/onePerKey';
import type { CallOptions } from '../ports/jobService';
import type { Connection } from './connection';

/** Listening early only saves requests, so it delays a submission by this much at most. */
const LONGEST_OPENING_MS = 2_000;

const openFeedOf = onePerKey(async ({ feed }: Connection): Promise<void> => {
	if (feed === undefined) return;
	const opened = new Promise<void>((resolve) => {
		void feed.follow({ onConnect: resolve, onTrouble: () => resolve(), onEvent: () => undefined }).then(resolve);
	});
	await within(LONGEST_OPENING_MS, opened);
});

/**
 * Opens the live feed of v1 and engines, and keeps it until the connection is closed. No event of a job that is submitted
 * afterwards is missed, so that its status is not read. Resolves when the feed is open or cannot be opened, at once without a feed.
 * @throws StoppedError.
 */
export async function listenAhead(connection: Connection, { signal }: CallOptions = {}): Promise<void> {
	await untilStopped(openFeedOf(connection), signal);
}
