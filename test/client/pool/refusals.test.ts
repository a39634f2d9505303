/** Servers that refuse jobs: by their answer to the prompt, to a read, or to a file of the job. */
import { ApiError, type ApiGraph, type AssetReference, type Job } from '../../../client';
import { POOL_LIMITS } from '../../../client/contact/policy';
import { PoolServer } from '../../../client/pool/poolServer';
import { delay } from '../../../client/async/delay';
import { runFaster } from '../../support/fastClock';
import { useStillClock } from '../../support/stillClock';
import { newKey, PROMPT } from '../engine/support/engine';
import { failureOf } from '../support/bytes';
import { newGraph, quickGraph } from '../support/graphs';
import { picture, pngSource } from '../support/pictures';
import { AWAITED, ended, modelGraph, type PlacementOptions, usePool, withCheckpoints } from './support/pool';

const UPLOAD = 'POST /api/upload/image';
const REJECTION = {
	status: 400,
	json: {
		error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation', details: '', extra_info: {} },
		node_errors: {},
	},
};

describe('servers of a pool', () => {
	const pool = usePool();
	runFaster(10);

	const leftOut: string[] = [];
	const placement: PlacementOptions = { ...AWAITED, onLeftOut: (server) => void leftOut.push(server) };
	beforeEach(() => void leftOut.splice(0));

	const refuse = (nth: number, status: number, on = PROMPT) => pool.inject(nth, { on, times: Infinity, answer: { status } });
	const submit = async (connection = pool.open(), graph = newGraph()): Promise<Job> =>
		await connection.jobs.submit({ graph }, { idempotencyKey: newKey(), keyIsOurs: true, placement });

	describe('one refuses jobs', () => {
		test('with a page, and also its reads: the others run all 15', async () => {
			pool.inject(1, { on: '* *', times: Infinity, answer: { status: 403, html: true } });
			const connection = pool.open();
			const run = async (_: unknown, index: number): Promise<Job> => {
				const options = { idempotencyKey: newKey(), keyIsOurs: true, placement: { ...placement, jobsToCome: 14 - index } };
				return await ended(connection, await connection.jobs.submit({ graph: quickGraph(index) }, options));
			};
			const jobs = await Promise.all(Array.from({ length: 15 }, run));
			expect(jobs.map((job) => job.status)).toEqual(jobs.map(() => 'succeeded'));
			expect([pool.runs()[1], new Set(leftOut)]).toEqual([0, new Set([pool.address(1)])]);
		});

		test('and the others are down: the job waits for them, and asks it once', async () => {
			for (const nth of [1, 2]) await pool.engine(nth).stopEngine();
			refuse(0, 403);
			const submitting = submit();
			await delay(6_000);
			await pool.engine(2).startEngine();
			expect((await submitting).server).toBe(pool.address(2));
			expect(pool.counts(PROMPT)).toEqual([1, 0, 1]);
		});

		test('and only it has the model: its refusal is reported', async () => {
			for (const nth of [0, 1]) await pool.redefine(nth, 'CheckpointLoaderSimple', withCheckpoints('other.safetensors'));
			refuse(2, 401);
			const connection = pool.open();
			for (let index = 0; index < 2; index++) {
				expect(await failureOf(submit(connection, modelGraph()))).toMatchObject({ code: 'unauthorized', server: pool.address(2) });
			}
			expect(pool.counts(PROMPT)).toEqual([0, 0, 2]);
		});

		test('and its reads, and no other server has the model: the error names what each one lacks, and the refusal', async () => {
			for (const nth of [0, 1]) await pool.redefine(nth, 'CheckpointLoaderSimple', withCheckpoints('other.safetensors'));
			pool.inject(2, { on: '* *', times: Infinity, answer: { status: 401 } });
			expect(await failureOf(submit(pool.open(), modelGraph()))).toMatchObject({
				name: 'NoFittingServerError',
				missing: [{ server: pool.address(0) }, { server: pool.address(1) }],
				unanswered: [],
				refusals: [{ status: 401, server: pool.address(2) }],
			});
		});
	});

	test('all refuse: the error is that of the first, and names the others', async () => {
		for (const [nth, status] of [401, 403, 413].entries()) refuse(nth, status);
		const connection = pool.open();
		for (let index = 0; index < 2; index++) {
			const failure = await failureOf(submit(connection));
			expect(failure).toBeInstanceOf(ApiError);
			expect(failure).toMatchObject({
				status: 401,
				server: pool.address(0),
				refusals: [
					{ status: 403, server: pool.address(1) },
					{ status: 413, server: pool.address(2) },
				],
			});
		}
		expect([pool.counts(PROMPT), leftOut]).toEqual([[2, 2, 2], []]);
	});

	describe('a rejection of the workflow', () => {
		test('that two servers give: the third one takes the job, and they get no more', async () => {
			for (const nth of [0, 1]) pool.inject(nth, { on: PROMPT, times: Infinity, answer: REJECTION });
			const connection = pool.open();
			for (let index = 0; index < 3; index++) expect((await submit(connection)).server).toBe(pool.address(2));
			expect([pool.counts(PROMPT), pool.runs().slice(0, 2)]).toEqual([
				[1, 1, 3],
				[0, 0],
			]);
			expect(leftOut).toEqual([0, 1, 2].flatMap(() => [pool.address(0), pool.address(1)]));
		});

		test('that all servers give is reported, and all of them get the next job', async () => {
			for (const nth of [0, 1, 2]) pool.inject(nth, { on: PROMPT, answer: REJECTION });
			const connection = pool.open();
			expect(await failureOf(submit(connection))).toMatchObject({
				code: 'invalid_workflow',
				server: pool.address(0),
				refusals: [{ server: pool.address(1) }, { server: pool.address(2) }],
			});
			expect((await submit(connection)).server).toBe(pool.address(0));
			expect(leftOut).toEqual([]);
		});

		test('is reported if no other server is left', async () => {
			await pool.engine(2).stopEngine();
			for (const nth of [0, 1]) pool.inject(nth, { on: PROMPT, answer: REJECTION });
			expect(await failureOf(submit())).toMatchObject({ code: 'invalid_workflow' });
			expect(pool.sent()).toEqual({ prompts: [1, 1, 0], runs: [0, 0, 0] });
		});
	});

	describe('a file of the job', () => {
		const graphOf = (image: AssetReference): ApiGraph => ({
			1: { class_type: 'LoadImage', inputs: { image } },
			2: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'copy' } },
		});
		const upload = async (connection = pool.open()) =>
			await connection.assets.upload(pngSource(await picture(0x336699)), { filePath: `${newKey()}.png` });

		test('is refused by one server: the job goes to the next one, with the file', async () => {
			refuse(0, 413, UPLOAD);
			const connection = pool.open();
			const placeFiles = async (server: string) => {
				const member = connection.members?.find(({ address }) => address === server);
				const opened = await member?.open();
				await opened?.assets.upload(pngSource(await picture(0x336699)), { filePath: `${newKey()}.png` });
				return newGraph();
			};
			for (let index = 0; index < 2; index++) {
				const { server } = await connection.jobs.submit({ graph: newGraph() }, { placement: { ...placement, placeFiles } });
				expect(server).not.toBe(pool.address(0));
			}
			expect([pool.counts(UPLOAD)[0], pool.counts(PROMPT)[0]]).toEqual([1, 0]);
			expect(leftOut).toEqual([pool.address(0), pool.address(0)]);
		});

		test('cannot be copied to one server: the job goes to the next one', async () => {
			const connection = pool.open();
			const { asset } = await upload(connection);
			await pool.redefine(0, 'SaveImage', () => undefined);
			refuse(1, 403, UPLOAD);
			expect((await submit(connection, graphOf(connection.assets.reference(asset)))).server).toBe(pool.address(2));
			expect([pool.counts(PROMPT), leftOut]).toEqual([[0, 0, 1], [pool.address(1)]]);
		});

		test('is no longer on its own server: this is reported, and no server counts as refusing', async () => {
			const connection = pool.open();
			const { asset } = await upload(connection);
			await pool.redefine(0, 'SaveImage', () => undefined);
			refuse(0, 404, 'GET /api/view');
			expect(await failureOf(submit(connection, graphOf(connection.assets.reference(asset))))).toMatchObject({
				status: 404,
				server: pool.address(0),
			});
			await submit(connection);
			expect(leftOut).toEqual([]);
		});
	});
});

describe('a server that refused a job', () => {
	const passTime = useStillClock();
	const open = (): PoolServer =>
		new PoolServer({ baseUrl: 'http://gpu2:8188', engineUrl: '', wanted: 'engine' }, new AbortController().signal);

	test('gets jobs again after a minute, or when it has accepted one', () => {
		const [first, second] = [open(), open()];
		for (const server of [first, second]) server.noteSubmission('refused');
		passTime(POOL_LIMITS.refusedMs - 1);
		expect(first.refusal).toBe('refused');
		second.noteSubmission();
		expect([first.refusal, second.refusal]).toEqual(['refused', undefined]);
		passTime(1);
		expect(first.refusal).toBeUndefined();
	});
});
