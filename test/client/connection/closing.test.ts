/** What a closed connection leaves: no timer, no socket and no loop. It opens nothing, also when a server that was down returns. */
import { randomUUID } from 'node:crypto';

import {
	connect,
	type Connection,
	connectRouter,
	type EventSource,
	listenAhead,
	openPool,
	openPoolEvents,
	openServerEvents,
	openServiceEvents,
	outcomeOf,
	type ServerSettings,
	type SourceListener,
	StoppedError,
	waitForJob,
} from '../../../client';
import type { JobFeed } from '../../../client/ports/jobService';
import { type Sandbox, startSandbox } from '../../../sandbox';
import { until } from '../../support/until';
import { freed } from '../support/deadOrigin';
import { gatedGraph, quickGraph } from '../support/graphs';
import { useResources } from '../support/resources';
import { accessTo } from '../support/sandbox';
import { deadOrigin, json, serve } from '../support/server';

/** Refuses connections until a server returns there. Its own sockets are not counted. */
let down: string;
beforeEach(async () => void (down = await deadOrigin()));
const resources = useResources();

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ engineConcurrency: 1, engineJobRoutes: false });
});
beforeEach(() => {
	sandbox.resetRecords();
	sandbox.configure({ gateOpen: false });
});
afterEach(() => {
	sandbox.clearFaults();
	sandbox.configure({ gateOpen: true });
	sandbox.restartEngine();
});
afterAll(async () => await sandbox.close());

const NEVER = new AbortController().signal;
const LONG_MS = 3_600_000;

const closing: Array<() => Promise<void>> = [];
afterEach(async () => void (await Promise.all(closing.splice(0).map(async (close) => await close()))));
const kept = <Closable extends { close(): Promise<void> }>(one: Closable): Closable => {
	closing.push(async () => await one.close());
	return one;
};

const engineAt = (baseUrl: string): ServerSettings => ({ baseUrl, engineUrl: '', wanted: 'engine' });

type Name = 'v2' | 'v1' | 'engine' | 'pool';
const NAMES: readonly Name[] = ['v2', 'v1', 'engine', 'pool'];

/** @param isUp whether the server responds; of a pool, whether the first one does. */
function open(name: Name, isUp: boolean): Connection {
	if (name === 'pool') return openPool({ servers: [engineAt(isUp ? sandbox.urls.engine : `${down}/other`), engineAt(down)] });
	const access = name === 'engine' ? { baseUrl: sandbox.urls.engine } : accessTo(sandbox, 'hosted');
	return connect({ interface: name, ...access, ...(!isUp && { baseUrl: down }) });
}

interface FeedWatch {
	connects: number;
	troubles: number;
}

function follow(feed: JobFeed, work: Array<Promise<unknown>>): FeedWatch {
	const watch = { connects: 0, troubles: 0 };
	const listener = {
		onConnect: () => void (watch.connects += 1),
		onEvent: () => undefined,
		onTrouble: () => void (watch.troubles += 1),
	};
	work.push(feed.follow(listener, NEVER));
	return watch;
}

async function drain(events: AsyncIterable<unknown>, onEvent: () => void = () => undefined): Promise<void> {
	for await (const event of events) if (event !== undefined) onEvent();
}

/** Each call ends by itself: it resolves, or throws a StoppedError. */
async function expectEnds(work: ReadonlyArray<Promise<unknown>>): Promise<void> {
	const running = new Set(work.keys());
	const ends = work.map(async (one, index) => {
		const outcome = await outcomeOf(one);
		running.delete(index);
		return outcome;
	});
	await until(() => running.size === 0, 5_000);
	for (const outcome of await Promise.all(ends)) if (!outcome.ok) expect(outcome.error).toBeInstanceOf(StoppedError);
}

const countUses = () => ({ opened: resources.opened(), fired: resources.fired() });

/** @param before the counts when the connection was closed. Everything has ended since, without waiting for a timer. */
async function expectNothingLeft(before: ReturnType<typeof countUses>): Promise<void> {
	expect({ ...countUses(), timers: resources.timers() }).toEqual({ ...before, timers: 0 });
	await until(() => resources.sockets() === 0);
	const back = kept(await serve(json(200, {}), undefined, await freed(down)));
	await resources.letTimePass();
	expect([resources.opened() - before.opened, back.connections()]).toEqual([0, 0]);
}

/** Everything that may be called after the end. */
async function expectStopped({ jobs, assets, feed, ...connection }: Connection): Promise<void> {
	const source = { open: async () => await Promise.resolve(Buffer.from('a')), contentType: 'text/plain', sizeBytes: 1 };
	const calls: Array<Promise<unknown>> = [
		jobs.get(randomUUID()),
		jobs.list(),
		jobs.submit({ graph: quickGraph() }),
		drain(jobs.events(await Promise.resolve({ job_id: randomUUID(), urls: { events: null } } as never))),
		waitForJob(jobs, randomUUID(), { mode: 'live', maxWaitMs: LONG_MS }),
		connection.verifyAccess(),
		...('members' in connection ? (connection.members ?? []).map(async (member) => await member.open()) : []),
		assets.upload(source as never, { filePath: 'a.txt' }),
	];
	for (const { error } of (await Promise.all(calls.map(outcomeOf))) as Array<{ error?: unknown }>)
		expect(error).toBeInstanceOf(StoppedError);
	await Promise.all([listenAhead({ ...connection, jobs, assets, feed } as Connection), feed?.follow({} as never, NEVER)]);
}

test.each(NAMES)('%s: a closed connection leaves nothing of its feeds, waits, streams and repeated reads', async (name) => {
	const connection = kept(open(name, true));
	const { jobs, feed } = connection;
	const own = [await jobs.submit({ graph: gatedGraph(3, 10) }), await jobs.submit({ graph: gatedGraph(3, 10) })];
	const isOnEngine = name === 'engine' || name === 'pool';
	const list = name === 'v2' ? 'GET /api/v2/jobs' : isOnEngine ? 'GET /api/history' : 'GET /api/jobs';
	sandbox.inject({ on: list, times: Infinity, answer: { status: 503, code: 'unavailable', retryAfter: 3_600 } });
	const work: Array<Promise<unknown>> = [listenAhead(connection), jobs.list(), jobs.list()];
	const feeds = feed === undefined ? [] : [follow(feed, work), follow(feed, work)];
	// A silent server of the pool may have the job. A full service makes submissions wait.
	if (name === 'pool') work.push(jobs.get(randomUUID()));
	if (name === 'v2') {
		sandbox.inject({ on: 'POST /api/v2/jobs', times: Infinity, answer: { status: 429, code: 'queue_full', retryAfter: 3_600 } });
		for (const color of [1, 2]) work.push(jobs.submit({ graph: quickGraph(color) }));
		await until(() => sandbox.requests('POST /api/v2/jobs').length === 4);
	}
	let reads = 0;
	let events = 0;
	for (const { job_id: jobId } of own) work.push(waitForJob(jobs, jobId, { mode: 'live', maxWaitMs: LONG_MS, onRead: () => (reads += 1) }));
	for (const job of own) work.push(drain(jobs.events(job), () => (events += 1)));
	const surface = isOnEngine ? 'engine' : 'hosted';
	await until(() => sandbox.requests(list, surface).length >= 2 && reads >= 2 && events >= 2);
	await until(() => feeds.every(({ connects }) => connects === 1));

	await connection.close();
	const before = countUses();
	await expectEnds(work);
	await expectStopped(connection);
	await expectNothingLeft(before);
});

test.each(NAMES)('%s: a connection to a server that is down opens no socket after it is closed', async (name) => {
	const connection = kept(open(name, false));
	const { jobs, feed } = connection;
	const work: Array<Promise<unknown>> = [
		listenAhead(connection),
		jobs.list(),
		jobs.get(randomUUID()),
		jobs.submit({ graph: quickGraph() }),
	];
	const feeds = feed === undefined ? [] : [follow(feed, work), follow(feed, work)];
	for (const mode of ['live', 'polling'] as const) work.push(waitForJob(jobs, randomUUID(), { mode, maxWaitMs: LONG_MS }));
	await until(() => resources.opened() >= 4 && feeds.every(({ troubles }) => troubles > 0));

	await connection.close();
	const before = countUses();
	await expectEnds(work);
	await expectStopped(connection);
	await expectNothingLeft(before);
});

test('a pool that is closed while its servers are being opened, and while jobs wait for a place, leaves nothing', async () => {
	const silent = kept(await serve(async () => await new Promise(() => undefined)));
	const opening = kept(openPool({ servers: [engineAt(silent.origin), engineAt(`${silent.origin}/other`)] }));
	const placing = kept(openPool({ servers: [engineAt(sandbox.urls.engine)] }));
	const placement = { isAwaited: true, jobsToCome: 0, whenLost: 'report' } as const;
	const work: Array<Promise<unknown>> = [opening.jobs.list(), opening.jobs.submit({ graph: quickGraph() })];
	const isPlaced = () => sandbox.requests('POST /api/prompt', 'engine').length === 2;
	for (const seed of [1, 2, 3, 4]) work.push(placing.jobs.submit({ graph: gatedGraph(3, 10 + seed) }, { placement }));
	await until(() => silent.seen.length >= 2 && isPlaced());
	await Promise.race(work);

	await Promise.all([opening.close(), placing.close()]);
	const before = countUses();
	await expectEnds(work);
	await expectNothingLeft(before);
});

test.each([true, false])('router: a closed connection leaves nothing of its runs and repeated reads (server is up: %s)', async (isUp) => {
	const credential = { kind: 'apiKey', key: sandbox.keys.apiKey } as const;
	const connection = kept(connectRouter({ baseUrl: isUp ? sandbox.urls.router : down, credential, prefix: '/v2' }));
	const { router } = connection;
	const routes = ['GET /v2/models', 'POST /v2/models/:provider/:model', 'POST /v2/models/:provider/:model/requests'];
	for (const on of isUp ? routes : []) sandbox.inject({ on, times: Infinity, answer: { status: 503, retryAfter: 3_600 } });
	const options = () => ({ idempotencyKey: randomUUID(), maxWaitMs: LONG_MS });
	const start = (): Array<Promise<unknown>> => [
		router.page(),
		router.page(),
		router.run('lab/free', { prompt: 'a' }, options()),
		router.runQueued('lab/free', { prompt: 'b' }, options()),
	];
	const work = start();
	await until(() => (isUp ? sandbox.requests('* *').length >= 4 : resources.opened() >= 6) && resources.timers() > 0);

	await connection.close();
	const before = countUses();
	await expectEnds(work);
	for (const call of await Promise.all(start().map(outcomeOf))) expect(call).toMatchObject({ ok: false, error: expect.any(StoppedError) });
	await expectNothingLeft(before);
});

const SOURCES: Array<[string, (down: string) => EventSource]> = [
	['an account', (down) => openServiceEvents({ source: 'hostedAccount', jobIds: [], needsPercent: true, baseUrl: down, token: 'key' })],
	['v2 jobs', (down) => openServiceEvents({ source: 'jobs', jobIds: [], needsPercent: false, baseUrl: down, token: 'key' })],
	['an own server', (down) => openServerEvents(engineAt(down), [])],
	['an own server that is up', () => openServerEvents(engineAt(sandbox.urls.engine), [])],
	['a pool', (down) => openPoolEvents({ servers: [engineAt(sandbox.urls.engine), engineAt(down)] }, [])],
];

test.each(SOURCES)('the events of %s end when their source is closed', async (_source, openSource) => {
	const source = kept(openSource(down));
	const listener: SourceListener = {
		since: 0,
		onEvent: () => undefined,
		onJob: () => undefined,
		onConnect: () => undefined,
		onTrouble: () => undefined,
		inFlight: () => [],
		hasEnded: () => false,
	};
	const watching = source.watch(listener, NEVER);
	await until(() => resources.opened() > 0 && resources.timers() > 0);

	await source.close();
	const before = countUses();
	await expectEnds([watching, source.watch(listener, NEVER)]);
	await expectNothingLeft(before);
});
