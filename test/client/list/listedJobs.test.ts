import { ApiError, type Job } from '../../../client';
import { type JobLister, listedJobs } from '../../../client/list/listedJobs';
import { colorGraph } from '../../nodes/support/graphs';
import { failureOf } from '../support/bytes';
import { useSandbox } from '../support/sandbox';

const harness = useSandbox();

async function idsOf(lister: JobLister): Promise<string[]> {
	const ids: string[] = [];
	for await (const { job_id } of listedJobs(lister)) ids.push(job_id);
	return ids;
}

/** A list without pages that is cut off; asked for this status, it answers so. */
async function cutOff(status: string, error: ApiError): Promise<{ lister: JobLister; job: Job }> {
	const job = await harness.connect('self_hosted').jobs.submit({ graph: colorGraph(0x700001) });
	const lister: JobLister = {
		list: async ({ statuses } = {}) => {
			if (statuses === undefined) return { jobs: [], isTruncated: true };
			if (statuses.includes(status)) throw error;
			return { jobs: statuses.includes('succeeded') ? [job] : [] };
		},
	};
	return { lister, job };
}

const refusal = (status: number, code: string) => new ApiError({ interface: 'v2', code, status, message: 'Its own words' });

test('a list without pages that is cut off is read once for each status', async () => {
	const requested: string[] = [];
	const list: JobLister['list'] = async ({ statuses = [] } = {}) => {
		requested.push(...statuses);
		return statuses.length === 0 ? { jobs: [], isTruncated: true } : { jobs: [] };
	};
	expect(await idsOf({ list })).toEqual([]);
	expect(requested).toEqual(['queued', 'running', 'succeeded', 'failed', 'canceled', 'expired']);
});

test.each([400, 422])('a status that the service does not know (%d) is left out, and the others are listed', async (status) => {
	const { lister, job } = await cutOff('expired', refusal(status, 'invalid_request'));
	expect(await idsOf(lister)).toEqual([job.job_id]);
});

test.each([
	[503, 'upstream_unreachable'],
	[429, 'rate_limited'],
	[401, 'unauthorized'],
])('a list by status that fails otherwise (%d) is not taken for an empty one', async (status, code) => {
	const { lister } = await cutOff('failed', refusal(status, code));
	expect(await failureOf(idsOf(lister))).toMatchObject({ code });
});
