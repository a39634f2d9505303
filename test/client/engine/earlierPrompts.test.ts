/** How far an engine is looked through for what a lost process has sent to it, on an engine whose lists each test writes. */
import { type ApiGraph, connect, type Connection, type SubmitOptions, type UnknownOutcomeError } from '../../../client';
import { realClock, setClock } from '../../../client/async/clock';
import type { LostRecord } from '../../../client/ports/jobService';
import { failureOf } from '../support/bytes';
import { json, serve, type TestServer } from '../support/server';
import { newKey } from './support/engine';
import { newGraph } from '../support/graphs';

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

/** An engine without jobs. Jobs are listed newest first; those in `known` are known to the engine by their ids alone. */
const newState = () => ({
	version: '0.3.75' as string | null,
	listed: [] as EngineJob[],
	known: [] as string[],
	ended: [] as EngineJob[],
	hasJobRoutes: true,
});

let server: TestServer;
let connection: Connection;
let state = newState();

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
		const { version, listed, known, ended, hasJobRoutes } = state;
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
	state = newState();
});
afterEach(async () => {
	setClock(realClock);
	await connection.close();
});
afterAll(async () => await server.close());

const count = (part: string, method = 'GET') => server.seen.filter((one) => one.method === method && one.url.includes(part)).length;
const prompts = () => count('/prompt', 'POST');
const submit = async (idempotencyKey: string, since = SINCE, more: Partial<SubmitOptions & LostRecord> = {}) => {
	const earlier = { lostRecord: { since, laterIds: more.laterIds } };
	const options = { idempotencyKey, keyIsOurs: true, earlier, retryBudgetMs: 0, onEvent: more.onEvent };
	return (await connection.jobs.submit({ graph: GRAPH }, options)).job_id;
};

const KEY = newKey();
const OURS: EngineJob = { id: KEY, madeAt: NOW };
/** An older engine gives each prompt an id of its own. */
const OURS_OF_OLDER: EngineJob = { id: 'ours', madeAt: NOW, asked: KEY };
/** The last moment at which a job may be ours, and the one before it. */
const [WITHIN_LIMIT, BEFORE_LIMIT] = [SINCE - 60_000, SINCE - 60_001];
/** The clock of n8n was set back since then. */
const AHEAD = NOW + 60_000;
const OLDER = '0.3.9';
const more = (count: number, madeAt = NOW): EngineJob[] => others(count, madeAt).map((one) => ({ ...one, id: `more-${one.id}` }));

/** The job that the submission gets, and the numbers of prompts, of reads of the list or history, and of reads by the id. */
type Outcome = [jobId: string, prompts: number, lists: number, reads: number];

test.each<[what: string, engine: Partial<typeof state> & { since?: number }, expected: Outcome]>([
	...['0.3.64', '0.10.0', '1.0'].map((version): [string, Partial<typeof state>, Outcome] => [
		`version ${version} lists the job`,
		{ version, listed: [...others(1), OURS] },
		[KEY, 0, 1, 1],
	]),
	['the job is listed behind 299 others', { listed: [...others(299), OURS] }, [KEY, 0, 3, 1]],
	['the job is behind the first 300', { listed: others(400), known: [KEY] }, [KEY, 0, 3, 1]],
	['exactly 300 others are listed', { listed: others(300), known: [KEY] }, [KEY, 0, 3, 1]],
	['299 others are listed', { listed: others(299) }, [KEY, 1, 3, 0]],
	['the list reaches back', { listed: [...others(5), ...more(300, BEFORE_LIMIT)] }, [KEY, 1, 1, 0]],
	['the job was made just within the limit', { listed: [...others(1), { ...OURS, madeAt: WITHIN_LIMIT }] }, [KEY, 0, 1, 1]],
	['the job is known, and the clock was set back', { known: [KEY], since: AHEAD }, [KEY, 0, 0, 1]],
	['no job is known, and the clock was set back', { since: AHEAD }, [KEY, 1, 0, 1]],
	...[
		[0, 'main'],
		[0, null],
		[98, OLDER],
		[99, OLDER],
		[150, '0.2.99'],
		[998, OLDER],
	].map(([before, version]): [string, Partial<typeof state>, Outcome] => [
		`version ${version} has the job in its history behind ${before} others`,
		{ version: version as string | null, ended: [...others(Number(before)), OURS_OF_OLDER] },
		['ours', 0, Number(before) < 99 ? 1 : 2, 0],
	]),
	['99 jobs are the whole history', { version: OLDER, ended: others(99) }, [KEY, 1, 1, 0]],
	['999 jobs are the whole history', { version: OLDER, ended: others(999) }, [KEY, 1, 2, 0]],
	['1,000 jobs do not reach back', { version: OLDER, ended: others(1_000) }, ['not_reported', 0, 2, 1]],
	['100 jobs reach back', { version: OLDER, ended: [...others(99), { id: 'old', madeAt: BEFORE_LIMIT }, ...more(1_000)] }, [KEY, 1, 1, 0]],
	[
		'100 jobs reach back to the limit only',
		{ version: OLDER, ended: [...others(99), { id: 'old', madeAt: WITHIN_LIMIT }, ...more(1_000)] },
		['not_reported', 0, 2, 1],
	],
	['1,000 jobs of another time', { version: OLDER, ended: others(1_000, SINCE - 60 * 60_000), since: AHEAD }, ['not_reported', 0, 2, 1]],
	['few jobs of any time', { version: OLDER, ended: others(5), since: AHEAD }, [KEY, 1, 1, 0]],
])(
	'an engine is searched as far as that is needed to find a job, or to send the prompt: %s',
	async (_what, { since, ...engine }, expected) => {
		Object.assign(state, engine);
		const jobId = await submit(KEY, since).catch((error: UnknownOutcomeError) => error.before);
		expect([jobId, prompts(), count('/jobs?') + count('/history?'), count(`/jobs/${KEY}`)]).toEqual(expected);
	},
);

test('two jobs are found in a history, although a job that started long before ended after them', async () => {
	const keys = [newKey(), newKey()];
	Object.assign(state, { hasJobRoutes: false, ended: [...keys.map((id) => ({ id, madeAt: NOW })), { id: 'old', madeAt: BEFORE_LIMIT }] });
	for (const key of keys) await expect(submit(key)).resolves.toBe(key);
	expect(prompts()).toBe(0);
});

describe('an older engine', () => {
	test('is read once for all items of a connection', async () => {
		Object.assign(state, { version: OLDER, ended: [...others(150), OURS_OF_OLDER] });
		await expect(submit(KEY)).resolves.toBe('ours');
		await submit(newKey());
		expect(server.seen.flatMap(({ url }) => /max_items=\d+/.exec(url) ?? [])).toEqual(['max_items=100', 'max_items=1000']);
		expect(prompts()).toBe(1);
	});

	test('is read again for an item that was sent earlier', async () => {
		const [recent, earlier] = [newKey(), newKey()];
		const ended = [
			...others(98),
			{ id: 'recent', madeAt: SINCE, asked: recent },
			{ id: 'between', madeAt: BEFORE_LIMIT },
			{ id: 'earlier', madeAt: SINCE - 600_000, asked: earlier },
		];
		Object.assign(state, { version: OLDER, ended });
		await expect(submit(recent)).resolves.toBe('recent');
		await expect(submit(earlier, SINCE - 600_000)).resolves.toBe('earlier');
		expect(prompts()).toBe(0);
	});
});

describe.each(['0.3.75', OLDER])('the jobs of an item that stops have canceled, when n8n lost the record (version %s)', (version) => {
	const jobOf = (asked: string): EngineJob => ({ id: version === OLDER ? `own-${asked}` : asked, madeAt: NOW, asked });

	test.each([
		['M3: the last of three jobs is found by one look at the list, and nothing is sent', true, 0],
		['the item is sent under its own key if there is no job of it', false, 1],
	])('%s', async (_name, hasJobs, sent) => {
		const keys = [newKey(), newKey(), newKey()] as const;
		const jobs = hasJobs ? keys.map(jobOf).reverse() : [jobOf(newKey())];
		Object.assign(state, { version, listed: jobs, ended: jobs });
		const recovered: Array<string | undefined> = [];
		const onEvent: SubmitOptions['onEvent'] = (event) => void (event.type === 'recovered' && recovered.push(event.laterId));
		await expect(submit(keys[0], SINCE, { laterIds: keys.slice(1), onEvent })).resolves.toBe(hasJobs ? jobs[0]?.id : keys[0]);
		expect([recovered, prompts(), count('/jobs?') + count('/history?')]).toEqual([hasJobs ? [keys[2]] : [], sent, 1]);
	});
});

describe('a job under the id of the submission', () => {
	const OTHER = newGraph();

	test('another graph under its id: its own job is found among the others', async () => {
		const key = newKey();
		state.listed = [
			{ id: key, madeAt: NOW, graph: OTHER },
			{ id: 'another', madeAt: NOW, graph: OTHER },
			{ id: 'own', madeAt: NOW },
		];
		await expect(submit(key)).resolves.toBe('own');
		expect(prompts()).toBe(0);
	});

	test.each([
		['another graph, and no other job with its own', OTHER, 'key_in_use'],
		['no graph', null, 'not_shown'],
	])('%s: nothing is sent', async (_name, graph, before) => {
		const key = newKey();
		state.listed = [
			{ id: key, madeAt: NOW, graph },
			{ id: 'another', madeAt: NOW, graph: OTHER },
		];
		expect(await failureOf(submit(key))).toMatchObject({ name: 'UnknownOutcomeError', before });
		expect(prompts()).toBe(0);
	});
});
