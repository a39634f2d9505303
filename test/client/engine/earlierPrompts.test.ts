/** How far an engine is looked through for what a lost process has sent to it, on an engine whose lists each test writes. */
import { type ApiGraph, connect, type Connection, type SubmitOptions, UnknownOutcomeError } from '../../../client';
import { realClock, setClock } from '../../../client/clock';
import type { LostRecord } from '../../../client/ports';
import { failureOf } from '../support/bytes';
import { json, serve, type TestServer } from '../support/server';
import { newGraph, newKey } from './support/engine';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const GRAPH = newGraph();
const SINCE = NOW - 10 * 60_000;

interface EngineJob {
	id: string;
	madeAt: number;
	/** The id that its submission asked for. */
	asked?: string;
	/** The graph that ran; null if the engine does not return it. By default `GRAPH`. */
	graph?: ApiGraph | null;
}

let server: TestServer;
let connection: Connection;
let version: string | null = '0.3.75';
/** Newest first. */
let listed: EngineJob[] = [];
/** Known to the engine by its id alone. */
let known: string[] = [];
let ended: EngineJob[] = [];
let hasJobRoutes = true;

const others = (count: number, madeAt = NOW): EngineJob[] => Array.from({ length: count }, (_, nth) => ({ id: `other-${nth}`, madeAt }));
const entryOf = ({ id, madeAt, asked, graph = GRAPH }: EngineJob) => ({
	prompt: [1, id, graph, asked === undefined ? {} : { client_prompt_id: asked }, []],
	outputs: {},
	status: { status_str: 'success', messages: [['execution_start', { timestamp: madeAt }]] },
});

beforeAll(async () => {
	server = await serve(async (request, response) => {
		const { pathname, searchParams } = new URL(request.url, 'http://engine');
		const [, route = '', id] = pathname.replace(/^\/api/, '').split('/');
		const answer = (body: unknown, status = 200) => json(status, body)(request, response);
		if (route === 'jobs' && !hasJobRoutes) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404: Not Found');
		if (route === 'prompt' && request.method === 'POST') {
			const { prompt_id } = JSON.parse(request.body.toString()) as { prompt_id: string };
			return await answer({ prompt_id, number: 1, node_errors: {} });
		}
		if (route === 'prompt') return await answer({ exec_info: { queue_remaining: 0 } });
		if (route === 'system_stats') return await answer({ system: { comfyui_version: version } });
		if (route === 'queue') return await answer({ queue_running: [], queue_pending: [] });
		if (route === 'history') {
			const all =
				id === undefined
					? ended.slice(0, Number(searchParams.get('max_items')))
					: [...ended, ...listed, ...known.map((one) => ({ id: one, madeAt: NOW }))].filter((one) => one.id === id);
			return await answer(Object.fromEntries(all.map((one) => [one.id, entryOf(one)])));
		}
		if (id !== undefined) {
			const isKnown = known.includes(id) || listed.some((one) => one.id === id) || ended.some((one) => one.id === id);
			return await answer(isKnown ? { id, status: 'completed' } : { error: 'Job not found' }, isKnown ? 200 : 404);
		}
		const offset = Number(searchParams.get('offset'));
		const page = listed.slice(offset, offset + Number(searchParams.get('limit')));
		const jobs = page.map((one) => ({ id: one.id, status: 'completed', create_time: one.madeAt }));
		await answer({ jobs, pagination: { has_more: offset + page.length < listed.length } });
	});
});
beforeEach(() => {
	setClock({ ...realClock, wallNow: () => NOW });
	connection = connect({ interface: 'engine', baseUrl: server.origin, readBudgetMs: 0 });
	server.seen.splice(0);
	[version, listed, known, ended] = ['0.3.75', [], [], []];
	hasJobRoutes = true;
});
afterEach(async () => {
	setClock(realClock);
	await connection.close();
});
afterAll(async () => await server.close());

const count = (part: string, method = 'GET') => server.seen.filter((one) => one.method === method && one.url.includes(part)).length;
const submit = async (idempotencyKey: string, since = SINCE, more: Partial<SubmitOptions & LostRecord> = {}) => {
	const earlier = { lostRecord: { since, laterIds: more.laterIds } };
	const options = { idempotencyKey, keyIsOurs: true, earlier, retryBudgetMs: 0, onEvent: more.onEvent };
	return (await connection.jobs.submit({ graph: GRAPH }, options)).job_id;
};
/** Submits, and expects this job. @returns how many prompts were sent. */
async function found(key: string, jobId = key, since = SINCE): Promise<number> {
	await expect(submit(key, since)).resolves.toBe(jobId);
	return count('/prompt', 'POST');
}

describe('an engine that keeps ids and lists its jobs', () => {
	test.each([
		[1, '0.3.64'],
		[1, '0.10.0'],
		[1, '1.0'],
		[299, '0.3.75'],
	])('has the job found in its list behind %d others by one read (version %s)', async (before, itsVersion) => {
		version = itsVersion;
		const key = newKey();
		listed = [...others(before), { id: key, madeAt: NOW }];
		expect(await found(key)).toBe(0);
		expect(count(`/jobs/${key}`)).toBe(1);
	});

	test('has a job behind 300 others found by its id', async () => {
		const key = newKey();
		[listed, known] = [others(400), [key]];
		expect(await found(key)).toBe(0);
		expect(count('/jobs?')).toBe(3);
	});

	test('has the job found by its id where exactly 300 are listed', async () => {
		const key = newKey();
		[listed, known] = [others(300), [key]];
		expect(await found(key)).toBe(0);
	});

	test.each([
		['299 are listed', others(299)],
		['the list reaches back', [...others(5), ...others(300, SINCE - 60_001).map((one) => ({ ...one, id: `old-${one.id}` }))]],
	])('is not asked for each id where the list proves that there is none: %s', async (_name, all) => {
		const key = newKey();
		listed = all;
		expect(await found(key)).toBe(1);
		expect(count(`/jobs/${key}`)).toBe(0);
	});

	test('has a job that was made just within the limit found', async () => {
		const key = newKey();
		listed = [...others(1), { id: key, madeAt: SINCE - 60_000 }];
		expect(await found(key)).toBe(0);
	});

	test('has two jobs found in its history, although a job that started long before ended after them', async () => {
		const [first, second] = [newKey(), newKey()];
		hasJobRoutes = false;
		ended = [first, second].map((id) => ({ id, madeAt: NOW }));
		ended.push({ id: 'old', madeAt: SINCE - 60_001 });
		expect(await found(first)).toBe(0);
		expect(await found(second)).toBe(0);
	});

	test('is asked by the id where the clock was set back since', async () => {
		const key = newKey();
		known = [key];
		expect(await found(key, key, NOW + 60_000)).toBe(0);
		expect(count('/jobs?')).toBe(0);
		await expect(submit(newKey(), NOW + 60_000)).resolves.toEqual(expect.any(String));
	});
});

describe('an older engine', () => {
	beforeEach(() => void (version = '0.3.9'));

	test.each([
		[0, 'main'],
		[0, null],
		[98, '0.3.9'],
		[99, '0.3.9'],
		[150, '0.2.99'],
		[998, '0.3.9'],
	])('has a job behind %d others found in its history (version %j)', async (before, itsVersion) => {
		version = itsVersion;
		const key = newKey();
		ended = [...others(before), { id: 'ours', madeAt: NOW, asked: key }];
		expect(await found(key, 'ours')).toBe(0);
		expect(count('/history?')).toBe(before < 99 ? 1 : 2);
	});

	test('is read once for all items of a connection', async () => {
		ended = [...others(150), { id: 'ours', madeAt: NOW, asked: newKey() }];
		await found(ended[150]?.asked ?? '', 'ours');
		await submit(newKey());
		expect(server.seen.flatMap(({ url }) => /max_items=\d+/.exec(url) ?? [])).toEqual(['max_items=100', 'max_items=1000']);
		expect(count('/prompt', 'POST')).toBe(1);
	});

	test('is read again for an item that was sent earlier', async () => {
		const [recent, earlier] = [newKey(), newKey()];
		ended = [
			...others(98),
			{ id: 'recent', madeAt: SINCE, asked: recent },
			{ id: 'between', madeAt: SINCE - 60_001 },
			{ id: 'earlier', madeAt: SINCE - 600_000, asked: earlier },
		];
		expect(await found(recent, 'recent')).toBe(0);
		expect(await found(earlier, 'earlier', SINCE - 600_000)).toBe(0);
	});

	test.each([99, 999])('is sent the prompt where its whole history of %d jobs has none', async (before) => {
		ended = others(before);
		expect(await found(newKey())).toBe(1);
	});

	test('is sent nothing where 1,000 jobs do not reach back', async () => {
		ended = others(1_000);
		const failure = await failureOf(submit(newKey()));
		expect(failure).toBeInstanceOf(UnknownOutcomeError);
		expect(failure).toMatchObject({ before: 'not_reported' });
		expect(count('/prompt', 'POST')).toBe(0);
	});

	test.each([
		[SINCE - 60_001, 1, 1],
		[SINCE - 60_000, 0, 2],
	])('whose newest 100 reach back to %d: %d prompts are sent after %d reads', async (madeAt, prompts, reads) => {
		ended = [...others(99), { id: 'old', madeAt }, ...others(1_000).map(({ id }) => ({ id: `more-${id}`, madeAt: NOW }))];
		await submit(newKey()).catch(() => undefined);
		expect([count('/prompt', 'POST'), count('/history?')]).toEqual([prompts, reads]);
	});

	test('is looked through as far as it goes where the clock was set back since', async () => {
		ended = others(1_000, SINCE - 60 * 60_000);
		expect(await failureOf(submit(newKey(), NOW + 60_000))).toBeInstanceOf(UnknownOutcomeError);
		ended = others(5);
		await connection.close();
		connection = connect({ interface: 'engine', baseUrl: server.origin, readBudgetMs: 0 });
		const key = newKey();
		expect(await found(key, key, NOW + 60_000)).toBe(1);
	});
});

describe.each(['0.3.75', '0.3.9'])('the jobs of an item that stops have canceled, when n8n lost the record (version %s)', (itsVersion) => {
	/** An older engine gives each prompt an id of its own. */
	const jobOf = (asked: string, id = itsVersion === '0.3.75' ? asked : `own-${asked}`): EngineJob => ({ id, madeAt: NOW, asked });
	const recovered: Array<string | undefined> = [];
	const onEvent: SubmitOptions['onEvent'] = (event) => void (event.type === 'recovered' && recovered.push(event.laterId));
	beforeEach(() => {
		version = itsVersion;
		recovered.splice(0);
	});

	test('M3: the last of three jobs is found by one look at the list, and nothing is sent', async () => {
		const keys = [newKey(), newKey(), newKey()] as const;
		const jobs = keys.map((key) => jobOf(key));
		[listed, ended] = [jobs.toReversed(), jobs.toReversed()];
		await expect(submit(keys[0], SINCE, { laterIds: keys.slice(1), onEvent })).resolves.toBe(jobs[2]?.id);
		expect([recovered, count('/prompt', 'POST'), count('/jobs?') + count('/history?')]).toEqual([[keys[2]], 0, 1]);
	});

	test('the item is sent under its own key if there is no job of it', async () => {
		const key = newKey();
		[listed, ended] = [[jobOf(newKey())], [jobOf(newKey())]];
		await expect(submit(key, SINCE, { laterIds: [newKey(), newKey()], onEvent })).resolves.toBe(key);
		expect([recovered, count('/prompt', 'POST'), count('/jobs?') + count('/history?')]).toEqual([[], 1, 1]);
	});
});

describe('a job under the id of the submission', () => {
	const OTHER = newGraph();
	const unconfirmed = async (key: string) => await failureOf(submit(key));

	test('another graph under its id: its own job is found among the others', async () => {
		const key = newKey();
		listed = [
			{ id: key, madeAt: NOW, graph: OTHER },
			{ id: 'another', madeAt: NOW, graph: OTHER },
			{ id: 'own', madeAt: NOW },
		];
		expect(await found(key, 'own')).toBe(0);
	});

	test.each([
		['another graph, and no other job with its own', OTHER, 'key_in_use'],
		['no graph', null, 'not_shown'],
	])('%s: nothing is sent', async (_name, graph, before) => {
		const key = newKey();
		listed = [
			{ id: key, madeAt: NOW, graph },
			{ id: 'another', madeAt: NOW, graph: OTHER },
		];
		expect(await unconfirmed(key)).toMatchObject({ name: 'UnknownOutcomeError', before });
		expect(count('/prompt', 'POST')).toBe(0);
	});
});
