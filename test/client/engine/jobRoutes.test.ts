/** The routes of `/api/jobs`, which only newer engines have, and what replaces them. */
import fc from 'fast-check';
import { type Decision, type Job, type JobService, withObserver } from '../../../client';
import { findJobs, listAllJobs } from '../../../client/list/listJobs';
import { until } from '../../support/until';
import { failureOf } from '../support/bytes';
import { gatedGraph, newGraph } from '../support/graphs';
import { anyKinds, anyQuery, listBy, makeJobs, workflowOf } from './support/bothPaths';
import { HISTORY, INTERRUPT, JOB_ROUTE, newKey, QUEUE, useEngine } from './support/engine';

const engine = useEngine({ engineJobRoutes: true });
const LIST = 'GET /api/jobs';
const NEWEST = 'GET /api/history';
const CANCEL = 'POST /api/jobs/:id/cancel';
const CANCEL_MANY = 'POST /api/jobs/cancel';
const DELETE = 'POST /api/queue';
/** A prompt of another program that the list of ComfyUI cannot show. */
const BAD_PROMPT = { prompt: newGraph(), extra_data: { extra_pnginfo: null } };

const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ job_id }) => job_id);
const queriesOf = (on: string): string[] => engine.requests(on).map(({ query }) => decodeURIComponent(query));
const post = async (path: string, body: object) =>
	await fetch(engine.sandbox.urls.engine + path, { method: 'POST', body: JSON.stringify(body) });

async function withDecisions<T>(work: () => Promise<T>): Promise<{ result: T; decisions: Decision[] }> {
	const decisions: Decision[] = [];
	const result = await withObserver({ onExchange: () => undefined, onDecision: (one) => void decisions.push(one) }, work);
	return { result, decisions: decisions.filter(({ kind }) => kind === 'route_replaced') };
}

describe('a list with records', () => {
	test('contains the same jobs by both paths, for any jobs and filters', async () => {
		const property = fc.asyncProperty(anyKinds, fc.array(anyQuery, { minLength: 6, maxLength: 6 }), async (kinds, queries) => {
			engine.sandbox.restartEngine();
			engine.sandbox.configure({ engineJobRoutes: true });
			const own = engine.connect();
			const submitted = await makeJobs(engine.sandbox, own.jobs, kinds);
			const made = await Promise.all(submitted.map(async ({ job_id }) => await own.jobs.get(job_id)));
			for (const query of queries) {
				engine.sandbox.configure({ engineJobRoutes: true });
				engine.sandbox.resetRecords();
				const byRoute = await listBy(engine.connect().jobs, made, query);
				expect(engine.count(LIST)).toBeGreaterThan(0);
				engine.sandbox.configure({ engineJobStatuses: 4 });
				const byFewerStatuses = await listBy(engine.connect().jobs, made, query);
				engine.sandbox.configure({ engineJobRoutes: false, engineJobStatuses: 5 });
				const byHistory = await listBy(engine.connect().jobs, made, query);
				expect(byRoute).toEqual(byHistory);
				expect(byFewerStatuses).toEqual(byHistory);
			}
		});
		await fc.assert(property, { numRuns: 6 });
	});

	test('has one request for each page of jobs, and reads no records of jobs with other statuses or of older jobs', async () => {
		const { jobs } = engine.connect();
		const made = await makeJobs(engine.sandbox, jobs, ['succeeded', 'failed', 'failed', 'succeeded', 'succeeded', 'running', 'queued']);
		const [oldest, failed, failedToo, , newest, running, queued] = idsOf(made);
		const times = await Promise.all(made.map(async ({ job_id }) => Date.parse((await jobs.get(job_id)).created_at ?? '')));
		const list = async (query: object): Promise<string[]> => {
			engine.sandbox.resetRecords();
			const found: Job[] = [];
			for await (const job of findJobs(jobs, { withMadeBy: true, ...query })) found.push(job);
			return idsOf(found);
		};
		expect(await list({ statuses: ['failed'] })).toEqual([failedToo, failed]);
		expect([queriesOf(LIST), engine.count(HISTORY), engine.count(NEWEST), engine.count(QUEUE)]).toEqual([
			['limit=20&offset=0&status=failed'],
			2,
			0,
			0,
		]);
		expect(await list({ statuses: ['running', 'queued'] })).toEqual([queued, running]);
		expect([queriesOf(LIST), engine.count(HISTORY), engine.count(NEWEST), engine.count(QUEUE)]).toEqual([
			['limit=20&offset=0&status=pending,in_progress'],
			0,
			0,
			1,
		]);
		expect(await list({ madeAfter: times[4] })).toEqual([queued, running, newest]);
		expect([queriesOf(LIST), queriesOf(NEWEST), engine.count(HISTORY)]).toEqual([['limit=100&offset=0'], ['max_items=1'], 0]);
		expect(await list({ pageSize: 3, madeBefore: times[0] })).toEqual([oldest]);
		expect([queriesOf(LIST), queriesOf(NEWEST)]).toEqual([
			['limit=3&offset=0', 'limit=3&offset=3', 'limit=6&offset=6'],
			['max_items=1', 'max_items=6', 'max_items=7'],
		]);
	});

	test('leaves out two jobs that were deleted after they were listed', async () => {
		const { jobs, maintenance } = engine.connect();
		const made = idsOf(await makeJobs(engine.sandbox, jobs, ['succeeded', 'succeeded', 'succeeded']));
		const json: unknown = await (await fetch(`${engine.sandbox.urls.engine}/api/jobs`)).json();
		await maintenance.clearHistory(made.slice(0, 2));
		engine.sandbox.inject({ on: LIST, times: 2, answer: { status: 200, json } });
		for (const wantedStatuses of [['succeeded'], []])
			expect(idsOf((await jobs.list({ withMadeBy: true, wantedStatuses })).jobs)).toEqual(made.slice(2));
		expect(engine.count(HISTORY)).toBe(5);
	});
});

test('a list since a time stops at the first older job, and does not read a second page', async () => {
	engine.sandbox.configure({ workers: 0 });
	const { jobs } = engine.connect();
	for (let index = 0; index < 5; index++) await jobs.submit({ graph: newGraph() });
	const at = Date.now();
	await until(() => Date.now() > at);
	const now = Date.now();
	const since = () => now;
	const recent = [await jobs.submit({ graph: newGraph() }), await jobs.submit({ graph: newGraph() })];
	engine.sandbox.resetRecords();
	const listed: Job[] = [];
	for await (const job of listAllJobs(jobs, { pageSize: 3, since })) listed.push(job);
	expect(new Set(idsOf(listed.slice(0, 2)))).toEqual(new Set(idsOf(recent)));
	expect(listed).toHaveLength(3);
	expect(engine.count(LIST)).toBe(1);
});

describe('what an engine lacks', () => {
	test('is asked for once: the list and the cancel are remembered separately, by each connection', async () => {
		engine.sandbox.configure({ engineCancelRoutes: false, workers: 0 });
		const [one, other] = [engine.connect(), engine.connect()];
		const [first, second] = [await one.jobs.submit({ graph: newGraph() }), await one.jobs.submit({ graph: newGraph() })];
		engine.sandbox.resetRecords();
		const { decisions } = await withDecisions(async () => {
			await one.jobs.cancel(first);
			await one.jobs.cancel(second);
			await one.jobs.list();
		});
		expect(decisions).toMatchObject([{ route: 'cancel', error: { status: 405 } }]);
		expect([engine.count(CANCEL), engine.count(DELETE), engine.count(LIST)]).toEqual([1, 2, 1]);
		await other.jobs.list();
		expect(engine.count(LIST)).toBe(2);

		engine.sandbox.configure({ engineJobRoutes: false });
		engine.sandbox.resetRecords();
		const older = engine.connect();
		const without = await withDecisions(async () => {
			for (let index = 0; index < 2; index++) await older.jobs.list();
			await failureOf(older.jobs.cancel(crypto.randomUUID()));
		});
		expect(without.decisions).toMatchObject([{ route: 'jobs', error: { status: 404 } }]);
		expect([engine.count(LIST), engine.count(JOB_ROUTE), engine.count(CANCEL), engine.count(CANCEL_MANY)]).toEqual([1, 0, 0, 0]);
	});

	test('a status that its list does not know is filtered here, and this is asked once', async () => {
		const own = engine.connect();
		const made = idsOf(await makeJobs(engine.sandbox, own.jobs, ['failed', 'canceled', 'canceled', 'succeeded']));
		engine.sandbox.configure({ engineJobStatuses: 4 });
		const { jobs } = engine.connect();
		const canceled = async () => {
			const found: Job[] = [];
			for await (const job of findJobs(jobs, { statuses: ['canceled'], withMadeBy: true })) found.push(job);
			return idsOf(found);
		};
		engine.sandbox.resetRecords();
		const { result, decisions } = await withDecisions(async () => [await canceled(), await canceled()]);
		expect(result).toEqual([made.slice(1, 3).reverse(), made.slice(1, 3).reverse()]);
		expect(queriesOf(LIST).filter((query) => query.includes('status='))).toEqual(['limit=20&offset=0&status=cancelled']);
		expect(decisions).toMatchObject([{ route: 'statusFilter', error: { status: 400 } }]);
	});
});

test('two prompts that a newer engine does not have are known to be missing without its version', async () => {
	const { jobs } = engine.connect();
	await jobs.list();
	for (let index = 0; index < 2; index++) {
		const earlier = { idempotencyKey: newKey(), keyIsOurs: true, earlier: { answerLost: true } };
		expect(await jobs.findEarlier({ graph: newGraph() }, earlier)).toBeUndefined();
	}
	expect([engine.count(JOB_ROUTE) > 0, engine.count('GET /api/system_stats')]).toEqual([true, 0]);
});

describe('a list that fails because of one prompt of another program', () => {
	test('is replaced by queue and history at once, for each list, and then used again', async () => {
		const { jobs } = engine.connect();
		const made = idsOf(await makeJobs(engine.sandbox, jobs, ['succeeded', 'failed', 'running']));
		const bad = (await (await post('/prompt', BAD_PROMPT)).json()) as { prompt_id: string };
		engine.sandbox.resetRecords();
		const lists = [{}, { withMadeBy: true }, { withMadeBy: true, wantedStatuses: ['failed'] }];
		const { result, decisions } = await withDecisions(async () => await Promise.all(lists.map(async (one) => await jobs.list(one))));
		for (const page of result) expect(new Set(idsOf(page.jobs))).toEqual(new Set([...made, bad.prompt_id]));
		expect(decisions).toMatchObject(lists.map(() => ({ route: 'jobs', error: { status: 500 } })));
		expect([engine.count(LIST), engine.count(NEWEST)]).toEqual([3, 3]);
		await post('/api/jobs/cancel', { job_ids: [bad.prompt_id] });
		engine.sandbox.resetRecords();
		expect(idsOf((await jobs.list({ withMadeBy: true, wantedStatuses: ['failed'] })).jobs)).toEqual([made[1]]);
		expect([engine.count(LIST), engine.count(NEWEST)]).toEqual([1, 0]);
	});

	test('and that begins to fail at the second page, loses no job', async () => {
		const { jobs } = engine.connect();
		await makeJobs(engine.sandbox, jobs, ['failed', 'succeeded', 'failed', 'failed', 'failed']);
		const wanted: Job[] = [];
		let pages = 0;
		const lister: Pick<JobService, 'list'> = {
			list: async (options) => {
				if (++pages === 2) await post('/prompt', BAD_PROMPT);
				return await jobs.list(options);
			},
		};
		for await (const job of listAllJobs(lister, { pageSize: 2, statuses: ['failed'], withMadeBy: true })) wanted.push(job);
		const failed = wanted.filter(({ status }) => status === 'failed');
		expect([failed.length, new Set(idsOf(failed)).size]).toEqual([4, 4]);
	});
});

describe('a cancel', () => {
	/** A job runs, the others wait. */
	const submitMany = async (jobs: JobService, count: number): Promise<string[]> => {
		engine.sandbox.configure({ gateOpen: false });
		const made: Job[] = [];
		for (let index = 0; index < count; index++) made.push(await jobs.submit({ graph: gatedGraph(1, 1), madeBy: workflowOf('a', index) }));
		await engine.running(made[0]!.job_id);
		engine.sandbox.resetRecords();
		return idsOf(made);
	};
	const statusesAfter = async (jobs: JobService, ids: readonly string[]): Promise<string[]> => {
		await until(() => engine.sandbox.jobs().every(({ status }) => !['queued', 'running'].includes(status)));
		return await Promise.all(ids.map(async (id) => (await jobs.get(id)).status));
	};
	const batches = () => engine.requests(CANCEL_MANY).map(({ bodyText }) => (JSON.parse(bodyText) as { job_ids: string[] }).job_ids);

	test('of five jobs at once is one request for the first and one for the others', async () => {
		const { jobs } = engine.connect();
		const ids = await submitMany(jobs, 5);
		await Promise.all(ids.map(async (id) => await jobs.cancel(id)));
		expect([engine.count(CANCEL), batches()]).toEqual([1, [ids.slice(1)]]);
		expect(await statusesAfter(jobs, ids)).toEqual(ids.map(() => 'canceled'));
	});

	test('of five jobs at once on an older engine removes the waiting ones with one request, and interrupts only the running one', async () => {
		engine.sandbox.configure({ engineJobRoutes: false, engineInterrupt: 'whatever_runs' });
		const { jobs } = engine.connect();
		const ids = await submitMany(jobs, 5);
		const other = await engine.submit();
		engine.sandbox.resetRecords();
		// The first request takes a waiting job. The running one is among the others.
		await Promise.all([...ids.slice(1), ids[0]!].map(async (id) => await jobs.cancel(id)));
		expect([engine.count(DELETE), engine.count(INTERRUPT)]).toEqual([2, 1]);
		engine.sandbox.configure({ gateOpen: true });
		expect(await statusesAfter(jobs, ids)).toEqual(ids.map(() => 'canceled'));
		expect((await engine.ended(other.job_id)).status).toBe('succeeded');
	});

	test('of a finished, an unknown and two unfinished jobs at once reports each one as it is', async () => {
		const { jobs } = engine.connect();
		const done = await jobs.submit({ graph: newGraph() });
		await engine.ended(done.job_id);
		const ids = await submitMany(jobs, 2);
		const unknown = crypto.randomUUID();
		const [first, finished, second, missing] = await Promise.all([
			jobs.cancel(ids[0]!),
			jobs.cancel(done),
			jobs.cancel(ids[1]!),
			failureOf(jobs.cancel(unknown)),
		]);
		expect([finished, second]).toMatchObject([{ status: 'succeeded' }, { status: 'canceled' }]);
		expect(['canceling', 'canceled']).toContain((first as Job).status);
		expect(missing).toMatchObject({ code: 'job_not_found', status: 404 });
		expect(batches()).toEqual([[done.job_id, ids[1]]]);
	});

	test('of jobs that a restarted engine has forgotten reports none of them as canceled', async () => {
		const { jobs } = engine.connect();
		const ids = await submitMany(jobs, 3);
		engine.sandbox.restartEngine();
		const canceled = await Promise.all(ids.map(async (id) => await jobs.cancel(id)));
		expect(canceled.map(({ status }) => status)).toEqual(ids.map(() => 'expired'));
	});

	test('of three jobs of which one has an ID that the engine rejects cancels each one with its own request', async () => {
		const { jobs } = engine.connect();
		const [running, waiting] = await submitMany(jobs, 2);
		await post('/prompt', { prompt: gatedGraph(1, 1), prompt_id: 'my-job' });
		await jobs.get('my-job');
		engine.sandbox.resetRecords();
		await Promise.all([running!, 'my-job', waiting!].map(async (id) => await jobs.cancel(id)));
		expect([batches(), engine.count(CANCEL)]).toEqual([[['my-job', waiting]], 3]);
		expect(await statusesAfter(jobs, [running!, 'my-job', waiting!])).toEqual(['canceled', 'canceled', 'canceled']);
	});

	test('that ends by its signal does not end the cancels of two other jobs', async () => {
		const { jobs } = engine.connect();
		const ids = await submitMany(jobs, 3);
		engine.sandbox.inject({ on: CANCEL, fault: { kind: 'delay', ms: 100 } });
		const stop = new AbortController();
		const all = [jobs.cancel(ids[0]!), failureOf(jobs.cancel(ids[1]!, { signal: stop.signal })), jobs.cancel(ids[2]!)] as const;
		stop.abort();
		expect(await all[1]).toMatchObject({ name: 'StoppedError' });
		expect(engine.count(CANCEL_MANY)).toBe(0);
		await Promise.all([all[0], all[2]]);
		expect(await statusesAfter(jobs, [ids[0]!, ids[2]!])).toEqual(['canceled', 'canceled']);
	});
});
