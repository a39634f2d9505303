import { ApiError, type Job, type SourceListener, type Trouble } from '../../../client';
import { watchJobs } from '../../../client/events/watchJobs';
import type { JobService } from '../../../client/ports';
import { until } from '../../support/until';
import { job } from '../comfyui/progress/support';

const turn = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, 20));

const stops: AbortController[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop.abort()));

interface Watched {
	reads: string[];
	reported: Job[];
	troubles: Trouble[];
	isOver: boolean;
}

/** Watches a service with these listed jobs. `get` answers the reads of single jobs; without it they get no answer. */
function follow(
	{ jobIds = [], listed = [], get }: { jobIds?: string[]; listed?: Job[]; get?: (jobId: string) => Promise<Job> },
	changes: Partial<SourceListener> = {},
): Watched {
	const watched: Watched = { reads: [], reported: [], troubles: [], isOver: false };
	const stop = new AbortController();
	stops.push(stop);
	const jobs = {
		identity: `a service for ${expect.getState().currentTestName}`,
		capabilities: { canResubmit: true, hasCheapList: true },
		get: async (one: Job | string) => {
			const jobId = typeof one === 'string' ? one : one.job_id;
			watched.reads.push(jobId);
			return await (get?.(jobId) ?? new Promise<Job>(() => undefined));
		},
		contactOf: () => undefined,
		list: async () => await Promise.resolve({ jobs: listed }),
	} as unknown as JobService;
	const listener: SourceListener = {
		since: Date.now(),
		onEvent: () => undefined,
		onJob: (read) => void watched.reported.push(read),
		onConnect: () => undefined,
		onTrouble: (trouble) => void watched.troubles.push(trouble),
		inFlight: () => [],
		hasEnded: () => false,
		...changes,
	};
	void watchJobs(jobs, { jobIds })(listener, stop.signal).finally(() => (watched.isOver = true));
	return watched;
}

const running = (jobId: string): Job => job(jobId, 'running', { created_at: new Date().toISOString() });

const unknown = async (): Promise<never> =>
	await Promise.reject(new ApiError({ interface: 'v2', code: 'job_not_found', status: 404, message: '' }));

it('follows at most 50 of the listed jobs at once', async () => {
	const { reads } = follow({ listed: Array.from({ length: 52 }, (_, index) => running(`job ${index}`)) });
	await until(() => reads.length >= 50);
	await turn();
	expect(new Set(reads).size).toBe(50);
});

it('follows a job from before the restart that the list lacks', async () => {
	const { reads } = follow({}, { inFlight: () => ['before'] });
	await until(() => reads.includes('before'));
});

it('reads no chosen job whose end was reported, and stays open', async () => {
	const watched = follow({ jobIds: ['ended'] }, { hasEnded: () => true });
	await turn();
	expect(watched).toMatchObject({ reads: [], isOver: false });
});

it('stays open after the end of the last chosen job, and reports the end', async () => {
	const watched = follow({ jobIds: ['a'], get: async (jobId) => await Promise.resolve(job(jobId, 'succeeded')) });
	await until(() => watched.reported.some(({ status }) => status === 'succeeded'));
	await turn();
	expect(watched.isOver).toBe(false);
});

it('reports a chosen job that the service never knew as a trouble, and reads it no more', async () => {
	const { reported, troubles } = follow({ jobIds: ['never'], get: unknown });
	await until(() => troubles.length > 0);
	expect([reported, troubles]).toMatchObject([[], [{ jobId: 'never', retryInMs: null }]]);
});

it('reports a job in flight that the service does not know any more as expired', async () => {
	const { reported, troubles } = follow({ jobIds: ['forgotten'], get: unknown }, { inFlight: () => ['forgotten'] });
	await until(() => reported.length > 0);
	expect([reported, troubles]).toMatchObject([[{ job_id: 'forgotten', status: 'expired' }], []]);
});
