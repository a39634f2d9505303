import { minimalJob } from '../../../client/comfyui/jobRecords';
import { ApiError, type Job } from '../../../client';
import type { JobService, ListOptions } from '../../../client/ports/jobService';
import { findJobs, type JobLister, listAllJobs, readUnlessDeleted, skipIfEndedBefore } from '../../../client/list/listJobs';
import { failureOf } from '../support/bytes';

async function idsOf(lister: JobLister): Promise<string[]> {
	const ids: string[] = [];
	for await (const { job_id } of listAllJobs(lister)) ids.push(job_id);
	return ids;
}

/** A list without pages that is cut off, of one job that has succeeded; asked for this status, it fails so. */
const cutOff = (status: string, error: { status: number; code: string }, requested: string[] = []): JobLister => ({
	list: async ({ statuses = [] } = {}) => {
		requested.push(...statuses);
		if (statuses.length === 0) return { jobs: [], isTruncated: true };
		if (statuses.includes(status)) throw new ApiError({ interface: 'v2', message: 'Its own words', ...error });
		return await Promise.resolve({ jobs: statuses.includes('succeeded') ? [minimalJob('a', 'v2', 'succeeded', 'succeeded')] : [] });
	},
});

test.each([400, 422])(
	'a list that is cut off is read once for each status, without one that the service does not know (%d)',
	async (status) => {
		const requested: string[] = [];
		expect(await idsOf(cutOff('expired', { status, code: 'invalid_request' }, requested))).toEqual(['a']);
		expect(requested).toEqual(['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired']);
	},
);

test.each([
	[503, 'upstream_unreachable'],
	[429, 'rate_limited'],
	[401, 'unauthorized'],
])('a list by status that fails otherwise (%d) is not taken for an empty one', async (status, code) => {
	expect(await failureOf(idsOf(cutOff('failed', { status, code })))).toMatchObject({ code });
});

const madeAt = (jobId: string, created_at: string): Job => ({ ...minimalJob(jobId, 'v2', 'succeeded', 'succeeded'), created_at });

test('both limits of the time of a search include the jobs that were made at this very time, and only those of its status', async () => {
	const made = ['03.001', '03.000', '02.000', '01.000', '00.999'].map((second) => madeAt(second, `2026-11-20T10:00:${second}Z`));
	const jobs = made.flatMap((job) => [job, { ...job, job_id: `failed ${job.job_id}`, status: 'failed' as const }]);
	const service: Partial<JobService> = { list: async () => await Promise.resolve({ jobs }) };
	const limits = { madeAfter: Date.parse('2026-11-20T10:00:01Z'), madeBefore: Date.parse('2026-11-20T10:00:03Z') };
	const found: string[] = [];
	for await (const { job_id } of findJobs(service as JobService, { ...limits, statuses: ['succeeded'] })) found.push(job_id);
	expect(found).toEqual(['03.000', '02.000', '01.000']);
});

test('a list by status is sorted by time, the newest job first', async () => {
	const times: Record<string, string> = { queued: '2026-11-20T10:00:01Z', running: '2026-11-20T10:00:03Z', failed: '2026-11-20T10:00:02Z' };
	const lister: JobLister = {
		list: async ({ statuses = [] } = {}) => {
			const [status] = statuses;
			const time = times[status ?? ''];
			return await Promise.resolve(
				status === undefined ? { jobs: [], isTruncated: true } : { jobs: time === undefined ? [] : [madeAt(status, time)] },
			);
		},
	};
	expect(await idsOf(lister)).toEqual(['running', 'failed', 'queued']);
});

test('the second page of a list, and the lists of two statuses if it is cut off, are requested with the same options', async () => {
	const requested: ListOptions[] = [];
	const lister: JobLister = {
		list: async (options = {}) => {
			requested.push(options);
			const [status] = options.statuses ?? [];
			if (status !== undefined) return { jobs: [minimalJob(status, 'v2', status)] };
			return await Promise.resolve(options.cursor === undefined ? { jobs: [], nextCursor: 'second' } : { jobs: [], isTruncated: true });
		},
	};
	const { signal } = new AbortController();
	const options = { withMadeBy: true, madeInWorkflow: 'flow', signal };
	const since = () => 5;
	const ids: string[] = [];
	for await (const { job_id } of listAllJobs(lister, { ...options, pageSize: 7, statuses: ['failed', 'succeeded'], since }))
		ids.push(job_id);
	expect(requested).toEqual([
		...[undefined, 'second'].map((cursor) => ({
			...options,
			limit: 7,
			cursor,
			wantedStatuses: ['failed', 'succeeded'],
			wantedSince: since,
		})),
		...['failed', 'succeeded'].map((status) => ({ ...options, limit: 100, statuses: [status] })),
	]);
	expect(ids).toEqual(['failed', 'succeeded']);
});

test.each([
	['pages', false],
	['a list for each status', true],
])('the servers of a pool that did not respond are reported (%s)', async (_, isTruncated) => {
	const lister: JobLister = {
		list: async ({ cursor, statuses = [] } = {}) => {
			if (cursor === undefined && statuses.length === 0) return isTruncated ? { jobs: [], isTruncated } : { jobs: [], nextCursor: 'next' };
			return await Promise.resolve({ jobs: [], unanswered: ['http://gpu2:8188'] });
		},
	};
	const reported: string[] = [];
	for await (const job of listAllJobs(lister, { statuses: ['queued'], onUnanswered: (servers) => reported.push(...servers) })) void job;
	expect(reported).toEqual(['http://gpu2:8188']);
});

test('a list whose pages lead back to an earlier one ends, and contains each job once', async () => {
	const requested: Array<string | undefined> = [];
	const lister: JobLister = {
		list: async ({ cursor } = {}) => {
			requested.push(cursor);
			if (requested.length > 5) throw new Error('The list does not end');
			return await Promise.resolve({ jobs: [minimalJob('a', 'v2', 'queued')], nextCursor: cursor === 'b' ? 'c' : 'b' });
		},
	};
	expect(await idsOf(lister)).toEqual(['a']);
	expect(requested).toEqual([undefined, 'b', 'c']);
});

test('a job whose second read fails for another reason than the first does not count as deleted', async () => {
	const errors = [404, 503].map((status) => new ApiError({ interface: 'v2', code: 'any', status, message: '' }));
	const read = async (): Promise<Job> => await Promise.reject(errors.shift() ?? new Error('No third read'));
	expect(await failureOf(readUnlessDeleted(read))).toMatchObject({ status: 503 });
});

test('a finished job without the time of its end is recent if it was made since, and is not read', async () => {
	const job = madeAt('a', '2026-11-20T10:00:01Z');
	const reader = { get: async () => await Promise.reject(new Error('No read is needed')) };
	expect(await skipIfEndedBefore(reader, job, Date.parse('2026-11-20T10:00:01Z'))).toBe(job);
});

test.each([
	[0, []],
	[2, [2]],
])('a search by workflow in a list of %d jobs without labels reports %j', async (count, expected) => {
	const jobs = Array.from({ length: count }, (_, index) => minimalJob(`job ${index}`, 'v2', 'queued'));
	const service: Partial<JobService> = { list: async () => await Promise.resolve({ jobs }) };
	const reported: number[] = [];
	const query = { madeInWorkflow: 'w', onNoMadeBy: (listed: number) => void reported.push(listed) };
	for await (const { job_id } of findJobs(service as JobService, query)) throw new Error(`${job_id} is of no workflow`);
	expect(reported).toEqual(expected);
});
