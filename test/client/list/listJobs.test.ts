import { minimalJob } from '../../../client/comfyui/jobRecords';
import { ApiError } from '../../../client';
import { type JobLister, listAllJobs } from '../../../client/list/listJobs';
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
