import { ApiError, type FeedListener, type Job, type JobEvent, type SourceListener, type Trouble } from '../../../client';
import { watchAccount } from '../../../client/events/watchAccount';
import type { JobFeed, JobService, ListOptions } from '../../../client/ports';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { job, status } from '../comfyui/progress/support';
import { useWatches } from '../support/watching';

const moveOn = useStillClock();
const watch = useWatches({ interface: 'v1', milestones: [] });

/** Pauses are this much longer, because timers may fire too early. */
const TIMER_MARGIN_MS = 1;

/** Lets pending promises of the watch proceed. */
const turn = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 20));

interface Scene {
	feed: FeedListener;
	/** The ids of the jobs that were read. */
	reads: string[];
	lists: ListOptions[];
	reported: Job[];
	troubles: Trouble[];
}

interface Service {
	/** The status of each read of a job. The last one repeats. */
	statuses?: string[];
	list?: () => Job[];
}

/** An account watch of a service that answers at once. */
async function follow({ statuses = ['running'], list = () => [] }: Service, changes: Partial<SourceListener> = {}): Promise<Scene> {
	const scene: Omit<Scene, 'feed'> = { reads: [], lists: [], reported: [], troubles: [] };
	const jobs: Partial<JobService> = {
		get: (one) => {
			scene.reads.push(String(one));
			return Promise.resolve(job(String(one), statuses[scene.reads.length - 1] ?? statuses.at(-1) ?? ''));
		},
		list: async (options = {}) => {
			scene.lists.push(options);
			return await Promise.resolve({ jobs: list() });
		},
	};
	let feedListener: FeedListener | undefined;
	const feed: JobFeed = {
		follow: async (listener, signal) => {
			feedListener = listener;
			await new Promise((resolve) => signal?.addEventListener('abort', resolve));
		},
		setTotal: () => undefined,
	};
	watch(watchAccount({ jobs: jobs as JobService, feed }, { jobIds: [], needsPercent: false }), {
		onJob: (read) => void scene.reported.push(read),
		onTrouble: (trouble) => void scene.troubles.push(trouble),
		hasEnded: () => false,
		...changes,
	});
	await until(() => feedListener !== undefined);
	return { ...scene, feed: feedListener as FeedListener };
}

const refusal = (code: string, httpStatus: number): ApiError => new ApiError({ interface: 'v1', code, status: httpStatus, message: '' });

const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

it('reads no job that ended before the trigger began, even if the first connection fails', async () => {
	const ended = job('before', 'succeeded', { created_at: ago(10_000), completed_at: ago(500) });
	const { feed, reads, lists } = await follow({ list: () => [ended] });
	feed.onTrouble(new Error('No connection yet'), 1_000);
	feed.onConnect();
	await until(() => lists.length === 1);
	await turn();
	expect(reads).toEqual([]);
});

it.each(['running', 'succeeded'])('reports a job in flight by its read, and not again by the list that says %s', async (listed) => {
	const { feed, reads, lists, reported } = await follow(
		{ list: () => [job('a', listed, { created_at: ago(0), completed_at: ago(0) })] },
		{ inFlight: () => ['a'] },
	);
	feed.onConnect();
	await until(() => lists.length === 1);
	await turn();
	expect([reads, reported.length]).toEqual([['a'], 1]);
});

it('does without the list if the service lists no jobs, and reports no trouble', async () => {
	const { feed, lists, troubles } = await follow({
		list: () => {
			throw refusal('not_implemented', 501);
		},
	});
	feed.onConnect();
	await until(() => lists.length === 1);
	await turn();
	expect(troubles).toEqual([]);
});

it('requests a list that is forbidden again after about five minutes', async () => {
	const { feed, lists, troubles } = await follow({
		list: () => {
			throw refusal('forbidden', 403);
		},
	});
	feed.onConnect();
	await until(() => troubles.length === 1);
	const retryInMs = troubles[0]?.retryInMs ?? 0;
	expect(Math.abs(retryInMs - 300_000)).toBeLessThanOrEqual(75_000);
	moveOn(Math.ceil(retryInMs));
	await turn();
	expect(lists).toHaveLength(1);
	moveOn(TIMER_MARGIN_MS);
	await until(() => lists.length === 2);
});

it('reads each minute the jobs in flight that had no event for a minute, and no others', async () => {
	const { feed, reads } = await follow({}, { inFlight: () => ['quiet', 'busy'] });
	const news: JobEvent = { kind: 'other', name: 'progress_text', data: {} };
	for (const jobId of ['quiet', 'busy']) feed.onEvent(news, jobId, {});
	moveOn(30_000);
	feed.onEvent(news, 'busy', {});
	moveOn(30_000);
	await turn();
	expect(reads).toEqual([]);
	moveOn(TIMER_MARGIN_MS);
	await until(() => reads.length > 0);
	await turn();
	expect(reads).toEqual(['quiet']);
});

it('reads the end of a job once, although two messages report it', async () => {
	const { feed, reads, reported } = await follow({ statuses: ['running', 'succeeded'] });
	for (const word of ['succeeded', 'succeeded']) feed.onEvent(status(word), 'a', {});
	moveOn(TIMER_MARGIN_MS);
	await until(() => reads.length > 0);
	await turn();
	expect(reads).toHaveLength(1);
	moveOn(100 + TIMER_MARGIN_MS);
	await until(() => reported.length === 2);
	await turn();
	moveOn(1_000);
	await turn();
	expect(reads).toHaveLength(2);
});
