import type { Connection } from '../../../client';
import { watchJobs } from '../../../client/events/watchJobs';
import type { ServiceSurface } from '../../../sandbox';
import { colorGraph, slowGraph } from '../../nodes/support/graphs';
import { until } from '../../support/until';
import { useSandbox } from '../support/sandbox';
import { useWatches } from '../support/watching';

const harness = useSandbox();
const watch = useWatches({ interface: 'v2', milestones: [] });
const watchMilestones = useWatches({ interface: 'v2', milestones: [25, 50, 75] });
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

beforeEach(() => {
	harness.sandbox.forgetJobs('deployment');
	harness.sandbox.forgetJobs('self_hosted');
});
afterEach(() => harness.sandbox.configure({ listTimes: 'told' }));

/** All jobs that a surface lists, looked for often. */
function follow({ jobs }: Connection, since = Date.now()): { finished: () => Array<string | null> } {
	const { finished } = watch(watchJobs(jobs, { jobIds: [], listEveryMs: 50 }), { since });
	return { finished: () => finished().map(({ job_id }) => job_id) };
}

let colors = 0x500000;
async function ended({ jobs }: Connection, ageMs = 0): Promise<string> {
	const { job_id } = await jobs.submit({ graph: colorGraph(++colors) });
	await until(() => harness.sandbox.job(job_id)?.status === 'succeeded');
	harness.sandbox.ageJob(job_id, ageMs);
	return job_id;
}

const looks = (surface: ServiceSurface) => harness.sandbox.requests('GET /api/v2/jobs', surface).length;
const readsOf = (jobId: string) => harness.sandbox.requests(`GET /api/v2/jobs/${jobId}`).length;

/** Some looks later. */
async function lookedAgain(surface: ServiceSurface): Promise<void> {
	const before = looks(surface);
	await until(() => looks(surface) >= before + 3);
}

/** The look at the last day ends with the first job that is older. */
it.each([
	['deployment', 'told', [0, 0, 0, 0, 0]],
	['deployment', 'absent', [1, 2, 1, 1, 1]],
	['self_hosted', 'absent', undefined],
] as const)(
	'D3: jobs of %s that ended before are not reported, and not read again for each list (times in its list: %s)',
	async (surface, listTimes, reads) => {
		harness.sandbox.configure({ listTimes });
		const connection = harness.connect(surface);
		const past: string[] = [];
		for (const ageMs of [3 * DAY_MS, 3 * DAY_MS, MINUTE_MS, 0, 0]) past.push(await ended(connection, ageMs));
		const { finished } = follow(connection, Date.now() + 1);
		await lookedAgain(surface);
		const now = await ended(connection);
		await until(() => finished().includes(now));
		await lookedAgain(surface);
		expect(finished()).toEqual([now]);
		if (reads !== undefined) expect(past.map(readsOf)).toEqual(reads);
	},
);

it('D3: reports jobs that ended while the trigger was off, also one that began long before', async () => {
	const connection = harness.connect('deployment');
	const before = [await ended(connection, 5 * MINUTE_MS), await ended(connection, 10 * MINUTE_MS)];
	const long = await ended(connection);
	Object.assign(harness.sandbox.job(long) ?? {}, { createdAt: Date.now() - 60 * MINUTE_MS, startedAt: Date.now() - 60 * MINUTE_MS });
	const meanwhile = await ended(connection);
	const { finished } = follow(connection, Date.now() - MINUTE_MS);
	await until(() => finished().length >= 2);
	await lookedAgain('deployment');
	expect(new Set(finished())).toEqual(new Set([long, meanwhile]));
	expect(before.map(readsOf)).toEqual([0, 0]);
});

it('M13: follows the 51st and the 52nd job, with all milestones, when two of the 50 followed jobs have ended', async () => {
	const { sandbox } = harness;
	const connection = harness.connect('deployment');
	sandbox.configure({ workers: 0 });
	const { finished, reported } = watchMilestones(watchJobs(connection.jobs, { jobIds: [], listEveryMs: 50 }));
	const followed = () => new Set(sandbox.requests('GET /api/v2/jobs/:id/events').map(({ path }) => path.split('/').at(-2) ?? ''));
	const jobs = Array.from({ length: 52 }, async () => await connection.jobs.submit({ graph: slowGraph(4, 20, ++colors) }));
	const ids = (await Promise.all(jobs)).map(({ job_id }) => job_id);
	await until(() => followed().size >= 50);
	await lookedAgain('deployment');
	expect(followed().size).toBe(50);
	const late = ids.filter((jobId) => !followed().has(jobId));
	for (const jobId of [...followed()].slice(0, 2)) await connection.jobs.cancel(jobId);
	await until(() => late.every((jobId) => followed().has(jobId)));
	sandbox.configure({ workers: 4 });
	await until(() => finished().length === 52);
	for (const jobId of late) {
		const milestones = reported.flatMap(({ job_id, milestone }) => (job_id === jobId && milestone !== null ? [milestone] : []));
		expect(milestones).toEqual([25, 50, 75]);
	}
});

it('follows chosen jobs to their ends, reads none whose end was reported, reports an unknown one, and stays open', async () => {
	const connection = harness.connect('deployment');
	const reported = await ended(connection);
	const jobIds = [reported, await ended(connection), 'unknown', await ended(connection)];
	let isOpen = true;
	const { finished, troubles, leave } = watch(
		async (listener, signal) => await watchJobs(connection.jobs, { jobIds })(listener, signal).finally(() => (isOpen = false)),
		{ hasEnded: (jobId) => jobId === reported },
	);
	await until(() => finished().length === 2 && troubles.length > 0);
	expect(finished().map(({ job_id }) => job_id)).toEqual(expect.arrayContaining([jobIds[1], jobIds[3]]));
	expect(troubles).toMatchObject([{ jobId: 'unknown', retryInMs: null }]);
	expect([readsOf(reported), isOpen]).toEqual([0, true]);
	await leave();
	expect(isOpen).toBe(false);
});

it('reports two jobs from before the restart that the service has lost as expired', async () => {
	const { finished } = watch(watchJobs(harness.connect('deployment').jobs, { jobIds: [] }), { inFlight: () => ['lost-1', 'lost-2'] });
	await until(() => finished().length === 2);
	expect(finished().map(({ job_id, status }) => [job_id, status])).toEqual(['lost-1', 'lost-2'].map((jobId) => [jobId, 'expired']));
});
