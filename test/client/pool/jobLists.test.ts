/** Lists and cancels of jobs on two servers, by the routes of `/api/jobs` and by what replaces them. */
import fc from 'fast-check';
import { until } from '../../support/until';
import { anyKinds, anyQuery, listBy, makeJobs } from '../engine/support/bothPaths';
import { gatedGraph } from '../support/graphs';
import { usePool } from './support/pool';

const pool = usePool();
const SERVERS = [0, 1] as const;
const configure = (...routes: boolean[]): void =>
	SERVERS.forEach((nth) => pool.engine(nth).configure({ engineJobRoutes: routes[nth] ?? false }));
const open = () => pool.open({ servers: pool.settings(...SERVERS) }).jobs;

test('two servers list the same jobs by both paths, for any jobs and filters, and if only one has the routes', async () => {
	const property = fc.asyncProperty(
		fc.tuple(anyKinds, anyKinds),
		fc.array(anyQuery, { minLength: 4, maxLength: 4 }),
		async (kinds, queries) => {
			configure(true, true);
			const submitted = [];
			for (const nth of SERVERS) {
				pool.engine(nth).restartEngine();
				const { jobs } = pool.open({ servers: pool.settings(nth) });
				submitted.push(...(await makeJobs(pool.engine(nth), jobs, kinds[nth])));
			}
			const made = await Promise.all(submitted.map(async ({ job_id }) => await open().get(job_id)));
			for (const query of queries) {
				const lists = [];
				for (const routes of [
					[false, false],
					[true, true],
					[true, false],
				]) {
					configure(...routes);
					lists.push(await listBy(open(), made, query));
				}
				const [byHistory, byRoute, byBoth] = lists;
				expect(byRoute).toEqual(byHistory);
				expect(byBoth).toEqual(byHistory);
			}
		},
	);
	await fc.assert(property, { numRuns: 4 });
});

test('three jobs on each of two servers that are canceled at once take two requests to each server', async () => {
	for (const nth of SERVERS) pool.engine(nth).configure({ gateOpen: false });
	const jobs = open();
	const made = [];
	for (const nth of [...SERVERS, ...SERVERS, ...SERVERS]) made.push(await pool.submitTo(nth, gatedGraph(1, 1)));
	for (const nth of SERVERS) pool.engine(nth).ledger.cancels.length = 0;
	for (const { job_id } of made) await jobs.get(job_id);
	await until(() =>
		SERVERS.every((nth) =>
			pool
				.engine(nth)
				.jobs()
				.some(({ status }) => status === 'running'),
		),
	);
	await Promise.all(made.map(async ({ job_id }) => await jobs.cancel(job_id)));
	expect(pool.counts('POST /api/jobs/:id/cancel').slice(0, 2)).toEqual([1, 1]);
	expect(pool.counts('POST /api/jobs/cancel').slice(0, 2)).toEqual([1, 1]);
	for (const nth of SERVERS) {
		const canceled = pool.engine(nth).ledger.cancels.map(({ jobId }) => jobId);
		expect(new Set(canceled)).toEqual(new Set(made.filter((_, index) => index % 2 === nth).map(({ job_id }) => job_id)));
	}
});
