import { ApiError, type Job, NoFittingServerError, NoServerError, type ServerSettings, StoppedError } from '../../../client';
import { Placements } from '../../../client/pool/placements';
import { PoolServer } from '../../../client/pool/poolServer';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { newKey, pause, PROMPT } from '../engine/support/engine';
import { failureOf } from '../support/bytes';
import { gatedGraph, newGraph, slowGraph } from '../support/graphs';
import { AWAITED, ended, modelGraph, usePool, withCheckpoints } from './support/pool';

const TIMES = 10;
const MODEL = 'daylight_v2.safetensors';
const LOADER = 'CheckpointLoaderSimple';

const pool = usePool();
const clockMs = runFaster(TIMES);
const total = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0);

describe('a batch', () => {
	test('is divided among the servers, two jobs at most on each, and each job runs once', async () => {
		const connection = pool.open();
		const run = async (_: unknown, index: number): Promise<Job> => {
			const placement = { ...AWAITED, jobsToCome: 11 - index };
			const job = await connection.jobs.submit({ graph: slowGraph(1, 40) }, { idempotencyKey: newKey(), keyIsOurs: true, placement });
			return await ended(connection, job);
		};
		const jobs = await Promise.all(Array.from({ length: 12 }, run));
		expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'succeeded'));
		expect([total(pool.runs()), ...pool.runs().map((count) => count >= 2)]).toEqual([12, true, true, true]);
		expect([0, 1, 2].map((nth) => pool.engine(nth).peakJobs('self_hosted'))).toEqual([2, 2, 2]);
		for (const { job_id, server } of jobs) {
			expect(pool.runs(job_id)).toEqual([0, 1, 2].map((nth) => (pool.address(nth) === server ? 1 : 0)));
		}
	});

	test('that the run does not wait for has no limit per server', async () => {
		for (const nth of [0, 1, 2]) pool.engine(nth).configure({ workers: 0 });
		const { jobs } = pool.open();
		for (let index = 0; index < 9; index++) await jobs.submit({ graph: newGraph() }, { placement: { ...AWAITED, isAwaited: false } });
		expect(pool.counts(PROMPT)).toEqual([3, 3, 3]);
	});

	test('jobs of other programs count', async () => {
		pool.engine(0).configure({ workers: 0 });
		for (let index = 0; index < 3; index++) await pool.submitTo(0);
		const { jobs } = pool.open();
		const servers = [await jobs.submit({ graph: newGraph() }), await jobs.submit({ graph: newGraph() })].map(({ server }) => server);
		expect(servers).toEqual([pool.address(1), pool.address(2)]);
	});

	test('goes to the server whose recent jobs were faster', async () => {
		for (const [nth, stepMs] of [400, 400, 20].entries()) {
			await ended(pool.open(), await pool.submitTo(nth, slowGraph(1, stepMs)));
			pool.engine(nth).configure({ workers: 0 });
			await pool.submitTo(nth);
		}
		expect((await pool.submit()).server).toBe(pool.address(2));
	});
});

describe('a job of an awaited run waits', () => {
	const fill = async (graph: typeof newGraph) => {
		const connection = pool.open();
		const placement = { ...AWAITED, jobsToCome: 10 };
		const filling: Job[] = [];
		for (let index = 0; index < 6; index++) filling.push(await connection.jobs.submit({ graph: graph() }, { placement }));
		const stop = new AbortController();
		let placed: Job | undefined;
		const submitting = connection.jobs.submit({ graph: newGraph() }, { placement, signal: stop.signal }).then((job) => (placed = job));
		return { connection, filling, submitting, stop, isPlaced: () => placed !== undefined };
	};

	test('until a job ends, and takes its place', async () => {
		for (const nth of [0, 1, 2]) pool.engine(nth).configure({ gateOpen: false });
		const { connection, filling, submitting, isPlaced } = await fill(() => gatedGraph(1, 1));
		await pause(50);
		expect([isPlaced(), pool.counts(PROMPT)]).toEqual([false, [2, 2, 2]]);
		pool.engine(1).configure({ gateOpen: true });
		const onSecond = filling.filter(({ server }) => server === pool.address(1));
		await Promise.all(onSecond.map(async (job) => await ended(connection, job)));
		expect((await submitting).server).toBe(pool.address(1));
	});

	test('until the jobs have ended, although no call reads them', async () => {
		const { submitting } = await fill(() => newGraph());
		const startedAt = performance.now();
		await submitting;
		// The queues are read after 5 s, and a job counts for at least 5 s.
		expect(clockMs(performance.now() - startedAt)).toBeGreaterThan(4_000);
		expect(total(pool.counts(PROMPT))).toBe(7);
	});

	test('while jobs that no call reads are still in the queues', async () => {
		for (const nth of [0, 1, 2]) pool.engine(nth).configure({ workers: 0 });
		const { submitting, stop, isPlaced } = await fill(() => newGraph());
		await until(() => pool.counts('GET /api/queue').every((count) => count >= 3));
		expect([isPlaced(), total(pool.counts(PROMPT))]).toEqual([false, 6]);
		stop.abort();
		expect(await failureOf(submitting)).toBeInstanceOf(StoppedError);
		expect(total(pool.counts(PROMPT))).toBe(6);
	});
});

describe('what a graph needs', () => {
	test('a job goes to the only server that has its model', async () => {
		for (const nth of [0, 1]) await pool.redefine(nth, LOADER, withCheckpoints('other.safetensors'));
		const { jobs } = pool.open();
		for (let index = 0; index < 3; index++) {
			expect((await jobs.submit({ graph: modelGraph() })).server).toBe(pool.address(2));
		}
		expect(pool.counts(PROMPT)).toEqual([0, 0, 3]);
		// The definitions are read once.
		expect(pool.counts(`GET /api/object_info/${LOADER}`)).toEqual([1, 1, 1]);
	});

	test('a job goes to a server that has its class, also after a job of other classes', async () => {
		for (const nth of [0, 2]) await pool.redefine(nth, LOADER, () => undefined);
		const { jobs } = pool.open();
		expect((await jobs.submit({ graph: newGraph() })).server).toBe(pool.address(0));
		expect((await jobs.submit({ graph: modelGraph() })).server).toBe(pool.address(1));
	});

	test('a job goes to the server that has loaded its model', async () => {
		await ended(pool.open(), await pool.submitTo(1, modelGraph()));
		await ended(pool.open(), await pool.submitTo(2, newGraph()));
		expect((await pool.submit({}, modelGraph())).server).toBe(pool.address(1));
		expect((await pool.submit({}, modelGraph('midnight_v1.safetensors'))).server).toBe(pool.address(0));
	});

	test('the only server that responds lacks the model: the error names what it lacks, and the two other servers', async () => {
		await pool.redefine(1, LOADER, withCheckpoints());
		for (const nth of [0, 2]) await pool.engine(nth).stopEngine();
		const failure = await failureOf(pool.submit({}, modelGraph()));
		expect(failure).toBeInstanceOf(NoFittingServerError);
		expect(failure).toMatchObject({
			missing: [{ server: pool.address(1), classType: LOADER, input: 'ckpt_name', value: MODEL }],
			unanswered: [0, 2].map(pool.address),
		});
		expect(total(pool.counts(PROMPT))).toBe(0);
	});

	test('each server lacks another class: the error names what each one lacks', async () => {
		await pool.redefine(0, LOADER, () => undefined);
		await pool.redefine(1, 'KSampler', () => undefined);
		await pool.redefine(2, 'VAEDecode', () => undefined);
		expect(await failureOf(pool.submit({}, modelGraph()))).toMatchObject({
			missing: [LOADER, 'KSampler', 'VAEDecode'].map((classType, nth) => ({ server: pool.address(nth), classType })),
			unanswered: [],
		});
	});

	test('no server has the model: ComfyUI rejects the workflow once', async () => {
		const failure = await failureOf(pool.submit({}, modelGraph('nowhere.safetensors')));
		expect(failure).toBeInstanceOf(ApiError);
		expect(failure).toMatchObject({ code: 'invalid_workflow', status: 400 });
		expect([total(pool.counts(PROMPT)), total(pool.runs())]).toEqual([1, 0]);
	});
});

describe('servers that do not respond', () => {
	test('all are down: the submission fails when the limit of the pool is over', async () => {
		for (const nth of [0, 1, 2]) await pool.engine(nth).stopEngine();
		const startedAt = performance.now();
		const failure = await failureOf(pool.open({ waitMs: 6_000 }).jobs.submit({ graph: newGraph() }));
		expect(clockMs(performance.now() - startedAt)).toBeGreaterThan(5_000);
		expect(failure).toBeInstanceOf(NoServerError);
		expect((failure as NoServerError).tried.map(({ origin }) => origin)).toEqual([0, 1, 2].map(pool.address));
		expect(failure).toMatchObject({ silence: { limitMs: 6_000 } });
	});

	test('the rejection of a server is reported if no server reports the length of its queue', async () => {
		for (const nth of [0, 1, 2]) pool.inject(nth, { on: 'GET /api/prompt', times: Infinity, answer: { status: 403 } });
		expect(await failureOf(pool.submit())).toMatchObject({ status: 403, code: 'forbidden' });
		expect(total(pool.counts(PROMPT))).toBe(0);
	});

	test('a job is submitted if the history has a workflow that the engine did not check completely', async () => {
		const graph = { 1: { class_type: 'Note' }, 2: null, 3: { class_type: 'LoadImage', inputs: null } };
		const other = { prompt: [1, 'other', graph, {}, []], outputs: {}, status: { status_str: 'success', messages: [] } };
		for (const nth of [0, 1]) pool.inject(nth, { on: 'GET /api/history', times: Infinity, answer: { status: 200, json: { other } } });
		const { jobs } = pool.open({ servers: pool.settings(0, 1) });
		await expect(jobs.submit({ graph: newGraph() })).resolves.toMatchObject({ status: 'queued' });
	});

	test('jobs that wait for a place fail if the reading of a server fails unexpectedly', async () => {
		const { signal: closed } = new AbortController();
		const server = new PoolServer({ baseUrl: pool.address(0), engineUrl: '', wanted: 'engine' }, closed);
		server.ask = async () => await Promise.reject(new TypeError('not expected'));
		const placements = new Placements([server], closed);
		const waiting = [0, 1].map(async () => await placements.reserve([server], { models: [], isAwaited: true, jobsToCome: 0 }));
		for (const job of waiting) await expect(job).rejects.toThrow('not expected');
	});

	test('the same server twice is used as one', () => {
		const [one] = pool.settings(0);
		const connection = pool.open({ servers: [one, { ...one, baseUrl: `${one?.baseUrl}/` }] as ServerSettings[] });
		expect(connection.members?.map(({ address }) => address)).toEqual([pool.address(0)]);
	});
});
