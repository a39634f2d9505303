import { until } from '../../support/until';
import { ApiError, type FeedListener, type JobEvent } from '../../../client';
import { SocketFeed, type SocketFeedSettings } from '../../../client/comfyui/socketFeed';
import { decodeImages } from './outputs';

/** A follower that writes down what it receives. */
interface Follower extends FeedListener {
	connects: number;
	troubles: Array<{ error: unknown; retryInMs: number }>;
	heard: Array<{ event: JobEvent; jobId: string | null; raw: unknown }>;
	/** Only of one kind. */
	of<Kind extends JobEvent['kind']>(kind: Kind): Array<Extract<JobEvent, { kind: Kind }>>;
	leave(): Promise<void>;
	/** Resolves when it has left. */
	ended: Promise<void>;
}

/** Short enough for a test, and still far apart. */
export const QUICK = { firstMs: 20, longestMs: 200, lastingMs: 400, stableMs: 10_000 };

/** Feeds that are closed after each test. */
export function useFeeds() {
	const open: SocketFeed[] = [];
	afterEach(async () => {
		await Promise.all(open.splice(0).map((feed) => feed.close()));
	});
	return {
		feed: (url: URL, settings: Partial<SocketFeedSettings> = {}): SocketFeed => {
			const feed = new SocketFeed({
				url: () => url,
				decodeOutputs: decodeImages,
				readError: async ({ status }) =>
					new ApiError({ interface: 'v1', code: status === 401 ? 'unauthorized' : 'other', status, message: '' }),
				retry: QUICK,
				onOpen: () => undefined,
				closed: new AbortController().signal,
				...settings,
			});
			open.push(feed);
			return feed;
		},
		follow,
	};
}

function follow(feed: SocketFeed, listener: Partial<FeedListener> = {}): Follower {
	const stop = new AbortController();
	const follower: Follower = {
		connects: 0,
		troubles: [],
		heard: [],
		of: <Kind extends JobEvent['kind']>(kind: Kind) =>
			follower.heard.map(({ event }) => event).filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind),
		onConnect: () => {
			follower.connects += 1;
			listener.onConnect?.();
		},
		onTrouble: (error, retryInMs) => {
			follower.troubles.push({ error, retryInMs });
			listener.onTrouble?.(error, retryInMs);
		},
		onEvent: (event, jobId, raw) => {
			follower.heard.push({ event, jobId, raw });
			listener.onEvent?.(event, jobId, raw);
		},
		leave: async () => {
			stop.abort();
			await follower.ended;
		},
		ended: Promise.resolve(),
	};
	follower.ended = feed.follow(follower, stop.signal);
	return follower;
}

export const connected = async (follower: Follower, times = 1): Promise<void> => await until(() => follower.connects >= times);
