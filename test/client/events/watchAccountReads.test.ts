/** Which jobs an account watch reads and lists, on a service that answers at once. */
import {
	ApiError,
	type FeedListener,
	type Job,
	type JobEvent,
	type SourceListener,
	StoppedError,
	UnreadableAnswerError,
} from '../../../client';
import { watchAccount } from '../../../client/events/watchAccount';
import type { JobFeed, JobService, ListOptions } from '../../../client/ports/jobService';
import { useStillClock } from '../../support/stillClock';
import { until } from '../../support/until';
import { job, progress, status } from '../comfyui/progress/support';
import { useWatches } from '../support/watching';

const moveOn = useStillClock();
const watch = useWatches({ interface: 'v1', milestones: [] });

/** Pauses are this much longer, because timers may fire too early. */
const TIMER_MARGIN_MS = 1;

/** Lets pending promises of the watch proceed. */
const turn = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 20));

interface Service {
	/** Returns the answer to a read of a job, with the number of its reads. By default, it runs. */
	read?: (jobId: string, reads: number) => Job;
	/** Returns a page of the list, which the trigger requests with its number. By default, one empty page. */
	list?: (page: number) => { jobs: Job[]; nextCursor?: string };
	/** The chosen jobs; empty for all. */
	jobIds?: string[];
	/** The progress of each job by the size of its graph. Without it, no size is read. */
	measured?: JobEvent;
}

async function follow(
	{ read = (jobId) => job(jobId, 'running'), list = () => ({ jobs: [] }), jobIds = [], measured }: Service,
	changes: Partial<SourceListener> = {},
) {
	/** The ids of the jobs that were read, the options of the lists, and the jobs that were reported. */
	const [reads, lists, reported] = [[] as string[], [] as ListOptions[], [] as Job[]];
	const jobs: Partial<JobService> = {
		get: async (one) => {
			const jobId = String(one);
			reads.push(jobId);
			return await Promise.resolve(read(jobId, reads.filter((other) => other === jobId).length));
		},
		workflow: async () => await Promise.resolve({ format: 'api', workflow: {} }),
		list: async (options = {}) => {
			lists.push(options);
			return await Promise.resolve(list(Number(options.cursor ?? 0)));
		},
	};
	let feedListener: FeedListener | undefined;
	const feed: JobFeed = {
		follow: async (listener, signal) => {
			feedListener = listener;
			await new Promise((resolve) => signal?.addEventListener('abort', resolve));
		},
		setTotal: () => measured,
	};
	const { troubles } = watch(watchAccount({ jobs: jobs as JobService, feed }, { jobIds, needsPercent: measured !== undefined }), {
		onJob: (one) => void reported.push(one),
		hasEnded: () => false,
		...changes,
	});
	await until(() => feedListener !== undefined);
	return { reads, lists, reported, troubles, feed: feedListener as FeedListener };
}

const refusal = (code: string, httpStatus: number): ApiError => new ApiError({ interface: 'v1', code, status: httpStatus, message: '' });

const ago = (milliseconds: number): string => new Date(Date.now() - milliseconds).toISOString();

const ended = (jobId: string, endedMsAgo: number): Job =>
	job(jobId, 'succeeded', { created_at: ago(10_000), completed_at: ago(endedMsAgo) });
const throwing = (error: Error) => () => {
	throw error;
};

it('reads no job that ended before the trigger began, even if the first connection fails', async () => {
	const { feed, reads, lists } = await follow({ list: () => ({ jobs: [ended('before', 500)] }) });
	feed.onTrouble(new Error('No connection yet'), 1_000);
	feed.onConnect();
	await until(() => lists.length === 1);
	await turn();
	expect(reads).toEqual([]);
});

it('reads the jobs that ended since the last message before a lost connection, as a list may round their times down', async () => {
	const { feed, reads } = await follow(
		{ list: () => ({ jobs: [ended('since', 0), ended('rounded', 900), ended('before', 5_000)] }) },
		{ since: Date.now() - 60_000 },
	);
	feed.onConnect();
	await turn();
	reads.splice(0);
	feed.onTrouble(new Error('Lost'), 1_000);
	feed.onConnect();
	await until(() => reads.length === 2);
	await turn();
	expect(reads).toEqual(['since', 'rounded']);
});

it('reads ten pages of a list without an end', async () => {
	const list = (page: number) => ({ jobs: [job(`job ${page}`, 'running', { created_at: ago(page) })], nextCursor: String(page + 1) });
	const { feed, lists, reported } = await follow({ list });
	feed.onConnect();
	await until(() => reported.length > 0);
	expect([lists.length, reported.length]).toEqual([10, 10]);
});

it.each(['running', 'succeeded'])('reports two jobs in flight by their reads, and not again by the list that says %s', async (listed) => {
	const { feed, reads, lists, reported } = await follow(
		{ list: () => ({ jobs: ['a', 'b'].map((jobId) => job(jobId, listed, { created_at: ago(0), completed_at: ago(0) })) }) },
		{ inFlight: () => ['a', 'b'] },
	);
	feed.onConnect();
	await until(() => lists.length === 1);
	await turn();
	expect([reads, reported.length]).toEqual([['a', 'b'], 2]);
});

it('reads the chosen jobs when it connects, also those that have ended, but none whose end was reported', async () => {
	const { feed, reads, reported } = await follow(
		{ jobIds: ['a', 'b', 'c'], read: (jobId) => job(jobId, 'succeeded') },
		{ hasEnded: (jobId) => jobId === 'b' },
	);
	feed.onConnect();
	await until(() => reported.length === 2);
	expect([reads, reported.map(({ job_id }) => job_id)]).toEqual([
		['a', 'c'],
		['a', 'c'],
	]);
});

it('reports a job in flight that the service has lost as expired, and a read that fails with the time of the next one', async () => {
	const failure = refusal('upstream_error', 500);
	const read = (jobId: string): Job => {
		if (jobId === 'stopped') throw new StoppedError();
		throw jobId === 'lost' ? refusal('not_found', 404) : failure;
	};
	const { feed, reported, troubles } = await follow({ read }, { inFlight: () => ['stopped', 'lost', 'unread'] });
	feed.onConnect();
	await until(() => troubles.length > 0);
	expect(reported).toMatchObject([{ job_id: 'lost', status: 'expired' }]);
	expect(troubles).toEqual([{ error: failure, retryInMs: 60_000, jobId: 'unread' }]);
});

it('does without the list if the service lists no jobs, and reports no trouble', async () => {
	const { feed, lists, troubles } = await follow({ list: throwing(refusal('not_implemented', 501)) });
	feed.onConnect();
	await until(() => lists.length === 1);
	await turn();
	expect(troubles).toEqual([]);
});

const page404 = new UnreadableAnswerError({ status: 404, contentType: 'text/html', reason: 'html', address: 'http://127.0.0.1/' });

it.each<[what: string, aboutMs: number, error: Error]>([
	['is forbidden', 300_000, refusal('forbidden', 403)],
	['fails for a moment', 1_000, refusal('upstream_error', 503)],
	['is a page with the status 404, which is not from the service,', 1_000, page404],
])('requests a list that %s again after about %d ms, and reads the known jobs at once', async (_, aboutMs, error) => {
	const { feed, lists, troubles, reads } = await follow({ list: throwing(error) }, { inFlight: () => ['a', 'b'] });
	feed.onConnect();
	await until(() => troubles.length === 1);
	expect(reads).toEqual(['a', 'b']);
	const retryInMs = troubles[0]?.retryInMs ?? 0;
	expect(Math.abs(retryInMs - aboutMs)).toBeLessThanOrEqual(aboutMs / 4);
	moveOn(Math.ceil(retryInMs));
	await turn();
	expect(lists).toHaveLength(1);
	moveOn(TIMER_MARGIN_MS);
	await until(() => lists.length === 2);
});

it('reports the progress of two jobs that arrived while it read the sizes of their graphs, with the raw events', async () => {
	const measured = progress(0.5);
	const heard: unknown[] = [];
	const { feed } = await follow({ measured }, { onEvent: (...event) => void heard.push(event) });
	for (const jobId of ['a', 'b']) feed.onEvent(progress(0.1), jobId, { of: jobId });
	await until(() => heard.length === 2);
	expect(heard).toEqual(['a', 'b'].map((jobId) => [measured, jobId, { of: jobId }]));
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
	const { feed, reads, reported } = await follow({ read: (jobId, times) => job(jobId, times < 2 ? 'running' : 'succeeded') });
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
