/** What concerns all servers of a pool: lists, the queue, definitions, saved workflows, access and history. */
import { ApiError, ConnectionError, type Job, NoServerError } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { until } from '../../support/until';
import { newGraph, newKey } from '../engine/support/engine';
import { failureOf } from '../support/bytes';
import { gatedGraph } from '../support/graphs';
import { type Definition, ended, usePool, withCheckpoints } from './support/pool';

const pool = usePool();
runFaster(10);
const ALL = [0, 1, 2];

/** Ends one job on each of these engines, one after another. */
async function runOn(...engines: number[]): Promise<string[]> {
	const jobIds: string[] = [];
	for (const nth of engines) {
		const { job_id } = await pool.submitTo(nth);
		await ended(pool.open(), job_id);
		jobIds.push(job_id);
	}
	return jobIds;
}
const queueAt = async (nth: number, jobs = 1): Promise<string[]> => {
	pool.engine(nth).configure({ workers: 0 });
	return await Promise.all(Array.from({ length: jobs }, async () => (await pool.submitTo(nth)).job_id));
};

describe('the list of jobs', () => {
	test.each([[{ engineJobRoutes: true }], [{ engineJobRoutes: false }]])('merges all pages, newest first (%j)', async (behaviour) => {
		for (const nth of ALL) pool.engine(nth).configure(behaviour);
		const jobIds = await runOn(0, 1, 0, 2, 0, 1, 0);
		const { jobs } = pool.open();
		const listed: Job[] = [];
		for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages++) {
			const page = await jobs.list({ limit: 2, cursor });
			expect(page.unanswered).toBeUndefined();
			expect(page.jobs.length).toBeLessThanOrEqual(2);
			listed.push(...page.jobs);
			cursor = page.nextCursor;
			if (pages > 20) throw new Error('The list does not end');
		}
		expect(listed.map(({ job_id }) => job_id)).toEqual([...jobIds].reverse());
		expect(listed.map(({ server }) => server)).toEqual([0, 1, 0, 2, 0, 1, 0].reverse().map(pool.address));
	});

	test('names the servers that do not respond', async () => {
		const [jobId] = await runOn(1);
		await pool.engine(0).stopEngine();
		const page = await pool.open().jobs.list();
		expect([page.jobs.map(({ job_id }) => job_id), page.unanswered, page.nextCursor]).toEqual([[jobId], [pool.address(0)], undefined]);
	});

	test('fails if no server responds', async () => {
		for (const nth of ALL) await pool.engine(nth).stopEngine();
		expect(await failureOf(pool.open().jobs.list())).toBeInstanceOf(NoServerError);
	});
});

describe('the queue', () => {
	test('joins all queues, and each entry has its server', async () => {
		const [first] = await queueAt(0);
		const [second] = await queueAt(2);
		pool.engine(1).configure({ gateOpen: false });
		const { job_id: third } = await pool.submitTo(1, gatedGraph(1, 1));
		const { records } = pool.open();
		await until(() => pool.engine(1).job(third)?.status === 'running');
		const { running, pending } = await records.queue();
		expect(pending.map(({ job_id, server }) => [job_id, server])).toEqual([
			[first, pool.address(0)],
			[second, pool.address(2)],
		]);
		expect(running.map(({ job_id, server }) => [job_id, server])).toEqual([[third, pool.address(1)]]);
	});
});

test('the definitions of all servers are joined', async () => {
	await pool.redefine(0, 'CheckpointLoaderSimple', withCheckpoints('a.safetensors'));
	await pool.redefine(1, 'CheckpointLoaderSimple', withCheckpoints('b.safetensors', 'a.safetensors'));
	await pool.redefine(2, 'CheckpointLoaderSimple', () => undefined);
	await pool.redefine(0, 'EmptyImage', () => undefined);
	const definitions = await pool.open().control.nodeDefinitions({ classes: ['CheckpointLoaderSimple', 'EmptyImage'] });
	expect(Object.keys(definitions).sort()).toEqual(['CheckpointLoaderSimple', 'EmptyImage']);
	expect((definitions.CheckpointLoaderSimple?.input as Definition).required).toEqual({
		ckpt_name: [['a.safetensors', 'b.safetensors'], {}],
	});
});

describe('saved workflows', () => {
	const save = (nth: number, path: string): void => pool.engine(nth).saveWorkflow(path, { nodes: [], from: nth });
	const paths = ['one.json', 'two.json', 'both.json'];
	beforeEach(() => {
		save(0, 'one.json');
		save(1, 'two.json');
		for (const nth of [1, 2]) save(nth, 'both.json');
	});
	afterEach(() => ALL.forEach((nth) => paths.forEach((path) => pool.engine(nth).deleteWorkflow(path))));

	test('are listed once, and read from the first server that has them', async () => {
		const { library } = pool.open();
		expect((await library?.list())?.map(({ path }) => path).sort()).toEqual([...paths].sort());
		await expect(library?.read('two.json')).resolves.toMatchObject({ from: 1 });
		await expect(library?.read('both.json')).resolves.toMatchObject({ from: 1 });
		expect(await failureOf(library?.read('none.json') as Promise<unknown>)).toMatchObject({ status: 404 });
	});

	test('may be on the server that does not respond', async () => {
		await pool.engine(0).stopEngine();
		const { library } = pool.open();
		await expect(library?.read('two.json')).resolves.toMatchObject({ from: 1 });
		expect((await library?.list())?.map(({ path }) => path).sort()).toEqual(['both.json', 'two.json']);
	});

	test('templates are those of all servers', async () => {
		const { library } = pool.open();
		const templates = await library?.templates();
		const names = templates?.map(({ name }) => name) ?? [];
		expect(new Set(names).size).toBe(names.length);
		pool.engine(0).configure({ engineTemplates: 'absent' });
		await expect(library?.template(names[0] ?? '')).resolves.toEqual(expect.any(Object));
		pool.engine(0).configure({ engineTemplates: 'there' });
	});
});

test('the folders of models are those of all servers, each one once', async () => {
	for (const nth of ALL) pool.engine(nth).configure({ engineModels: { loras: ['a.pt', `${nth}.pt`], [`only${nth}`]: [] } });
	await expect(pool.open().maintenance.modelFolders()).resolves.toEqual(['loras', 'only0', 'only1', 'only2']);
});

describe('access', () => {
	test('is verified on each server, and succeeds if at least one server accepts it', async () => {
		await expect(pool.open().verifyAccess()).resolves.toEqual({ interface: 'engine', version: null });
		expect(pool.counts('GET /api/system_stats')).toEqual([2, 2, 2]);
		await pool.engine(0).stopEngine();
		pool.engine(1).configure({ engineAuthorization: 'Basic x' });
		await expect(pool.open().verifyAccess()).resolves.toMatchObject({ interface: 'engine' });
	});

	test('fails if no server responds, and with the rejection if one rejects it and no other responds', async () => {
		for (const nth of [0, 1]) await pool.engine(nth).stopEngine();
		pool.engine(2).configure({ engineAuthorization: 'Basic x' });
		expect(await failureOf(pool.open().verifyAccess())).toMatchObject({ code: 'unauthorized', server: pool.address(2) });
		await pool.engine(2).stopEngine();
		expect(await failureOf(pool.open().verifyAccess())).toBeInstanceOf(NoServerError);
	});
});

describe('the history', () => {
	test('returns a finished job of any server, and fails if a silent server may have it', async () => {
		const [jobId = ''] = await runOn(1);
		const { records } = pool.open();
		await expect(records.ended(jobId)).resolves.toMatchObject({ status: 'succeeded', server: pool.address(1) });
		await expect(records.ended(newKey())).resolves.toBeUndefined();
		await pool.engine(2).stopEngine();
		await expect(records.ended(jobId)).resolves.toMatchObject({ status: 'succeeded' });
		expect(await failureOf(records.ended(newKey()))).toBeInstanceOf(ConnectionError);
	});
});

test('a pool of unusable addresses is not opened', () => {
	expect(() => pool.open({ servers: [{ baseUrl: 'ftp://x', engineUrl: '', wanted: 'engine' }] })).toThrow(ConnectionError);
});

test('pools with the same servers and users have the same identity', () => {
	const of = (comfyUser?: string, nth = 0) =>
		pool.open({ servers: [{ baseUrl: pool.address(nth), engineUrl: '', wanted: 'engine', comfyUser }] }).jobs.identity;
	expect([of() === of(), of() === of('a'), of() === of(undefined, 1)]).toEqual([true, false, false]);
});

test('a closed pool ends its connections, also if a server never responded', async () => {
	await pool.engine(1).stopEngine();
	const connection = pool.open();
	await connection.jobs.submit({ graph: newGraph() });
	await connection.close();
	expect(await failureOf(connection.jobs.list())).not.toBeInstanceOf(ApiError);
});
