/** What concerns all servers of a pool: lists, the queue, definitions, saved workflows, access and history. */
import { ConnectionError, type Job } from '../../../client';
import { runFaster } from '../../support/fastClock';
import { RETIRED } from '../../support/retiredNodes';
import { newKey } from '../engine/support/engine';
import { newGraph } from '../support/graphs';
import { failureOf } from '../support/bytes';
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

describe('the list of jobs', () => {
	test.each([true, false])('merges all pages, newest first (job routes: %s)', async (engineJobRoutes) => {
		for (const nth of ALL) pool.engine(nth).configure({ engineJobRoutes });
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

	test('contains the origin of the jobs of each server if requested', async () => {
		const madeBy = (nth: number) => ({ workflow_id: `flow-${nth}`, workflow_name: 'Shop', execution_id: '1', node: 'Run', item: nth });
		for (const nth of ALL) {
			const alone = pool.open({ servers: pool.settings(nth) });
			const { job_id } = await alone.jobs.submit({ graph: newGraph(), madeBy: madeBy(nth) });
			await ended(alone, job_id);
		}
		const { jobs } = await pool.open().jobs.list({ withMadeBy: true });
		expect(jobs.map(({ made_by }) => made_by?.workflow_id)).toEqual(['flow-2', 'flow-1', 'flow-0']);
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

test('the replacements of all servers are joined, also if one of them is older', async () => {
	const [first, other] = [RETIRED.AcmeScale, RETIRED.AcmeGone].map((entries = []) => entries);
	pool.engine(1).configure({ nodeReplacements: { Old: first ?? [], Both: first ?? [] } });
	pool.engine(2).configure({ nodeReplacements: { Both: other ?? [] } });
	const replacements = await pool.open().control.nodeReplacements();
	expect(
		Object.entries(replacements)
			.map(([name, { newClass }]) => `${name}: ${newClass}`)
			.sort(),
	).toEqual(['Both: ImageScale', 'Old: ImageScale']);
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

	test('are listed once, and read from the first server that has them and responds', async () => {
		const { library } = pool.open();
		const pathsOf = async (some = library) => (await some?.list())?.map(({ path }) => path).sort();
		expect(await pathsOf()).toEqual([...paths].sort());
		await expect(library?.read('both.json')).resolves.toMatchObject({ from: 1 });
		expect(await failureOf(library?.read('none.json') as Promise<unknown>)).toMatchObject({ status: 404 });
		await pool.engine(0).stopEngine();
		const rest = pool.open().library;
		await expect(rest?.read('two.json')).resolves.toMatchObject({ from: 1 });
		expect(await pathsOf(rest)).toEqual(['both.json', 'two.json']);
	});

	test('templates are those of all servers, and read from the first server that has them', async () => {
		const index = (name: string) => [{ title: 'Own', templates: [{ name }, { name: 'both' }] }];
		for (const nth of [0, 1]) {
			pool.inject(nth, { on: 'GET /templates/index.json', times: Infinity, answer: { status: 200, json: index(`own-${nth}`) } });
		}
		pool.inject(1, { on: 'GET /templates/own-1.json', answer: { status: 200, json: { nodes: [], from: 1 } } });
		const { library } = pool.open({ servers: pool.settings(0, 1) });
		expect((await library?.templates())?.map(({ name }) => name)).toEqual(['own-0', 'both', 'sandbox-colours/Green & Co', 'own-1']);
		await expect(library?.template('own-1')).resolves.toMatchObject({ from: 1 });
	});
});

test('the folders of models are those of all servers, each one once', async () => {
	for (const nth of ALL) pool.engine(nth).configure({ engineModels: { loras: ['a.pt', `${nth}.pt`], [`only${nth}`]: [] } });
	await expect(pool.open().maintenance.modelFolders()).resolves.toEqual(['loras', 'only0', 'only1', 'only2']);
});

test('access is verified on each server, and succeeds if at least one server accepts it', async () => {
	await expect(pool.open().verifyAccess()).resolves.toEqual({ interface: 'engine', version: null });
	expect(pool.counts('GET /api/system_stats')).toEqual([2, 2, 2]);
	await pool.engine(0).stopEngine();
	pool.engine(1).configure({ engineAuthorization: 'Basic x' });
	await expect(pool.open().verifyAccess()).resolves.toMatchObject({ interface: 'engine' });
});

test('the history returns a finished job of any server, and fails if a silent server may have it', async () => {
	const [jobId = ''] = await runOn(1);
	const { records } = pool.open();
	await expect(records.ended(jobId)).resolves.toMatchObject({ status: 'succeeded', server: pool.address(1) });
	await expect(records.ended(newKey())).resolves.toBeUndefined();
	await pool.engine(2).stopEngine();
	await expect(records.ended(jobId)).resolves.toMatchObject({ status: 'succeeded' });
	expect(await failureOf(records.ended(newKey()))).toBeInstanceOf(ConnectionError);
});

test('a pool of unusable addresses is not opened', () => {
	expect(() => pool.open({ servers: [{ baseUrl: 'ftp://x', engineUrl: '', wanted: 'engine' }] })).toThrow(ConnectionError);
});

test('pools with the same servers and users have the same identity', () => {
	const of = (second: number, comfyUser?: string) =>
		pool.open({ servers: pool.settings(0, second).map((one, index) => ({ ...one, comfyUser: index === 1 ? comfyUser : undefined })) }).jobs
			.identity;
	expect([of(1) === of(1), of(1) === of(2), of(1) === of(1, 'a')]).toEqual([true, false, false]);
});
