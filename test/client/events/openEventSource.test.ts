import {
	type EventSource,
	openPoolEvents,
	openServerEvents,
	openServiceEvents,
	type ServerSettings,
	type SourceListener,
	type Trouble,
} from '../../../client';
import { outcomeOf } from '../../../client/transport/outcome';
import { setSpeed } from '../../support/fastClock';
import { until } from '../../support/until';
import { useEngine } from '../engine/support/engine';

const engine = useEngine();
const open: EventSource[] = [];
const stops: AbortController[] = [];
afterEach(async () => {
	setSpeed(1);
	for (const stop of stops.splice(0)) stop.abort();
	await Promise.all(open.splice(0).map((watch) => watch.close()));
});

function opened(settings: Partial<ServerSettings> = {}, jobIds: string[] = []): EventSource {
	const watch = openServerEvents({ baseUrl: engine.sandbox.urls.engine, engineUrl: '', wanted: 'engine', ...settings }, jobIds);
	open.push(watch);
	return watch;
}

/** Watches until it is stopped, and writes down what the source reports. */
function watched(watch: EventSource) {
	const heard = { connects: 0, troubles: [] as Trouble[], ended: [] as string[] };
	const stop = new AbortController();
	stops.push(stop);
	const watcher: SourceListener = {
		onEvent: () => undefined,
		onJob: ({ job_id }) => heard.ended.push(job_id),
		onConnect: () => (heard.connects += 1),
		onTrouble: (trouble) => heard.troubles.push(trouble),
		inFlight: () => [],
		hasEnded: (jobId) => heard.ended.includes(jobId),
		since: Date.now(),
	};
	const watching = watch.watch(watcher, stop.signal);
	return {
		heard,
		leave: async () => {
			stop.abort();
			await watching;
		},
	};
}

test('a lasting error makes the search less frequent', async () => {
	engine.sandbox.configure({ engineAuthorization: 'Basic x' });
	const { heard, leave } = watched(opened());
	await until(() => heard.troubles.length > 0);
	expect(heard.troubles).toMatchObject([{ error: { code: 'unauthorized' } }]);
	expect(Math.abs((heard.troubles[0]?.retryInMs ?? 0) - 300_000)).toBeLessThanOrEqual(75_000);
	await leave();
});

test('names the likeliest interface until the server is found, and the watch uses the server that a check found', async () => {
	const watch = opened({ wanted: 'any' });
	expect([watch.interface, opened().interface]).toEqual(['v2', 'engine']);
	await watch.verifyAccess();
	expect(watch.interface).toBe('engine');
	engine.sandbox.resetRecords();
	const { heard, leave } = watched(watch);
	await until(() => heard.connects > 0);
	await leave();
	expect(engine.count('GET /api/system_stats')).toBe(0);
});

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

test.each<[source: string, open: (jobIds: string[]) => EventSource]>([
	['a server', (jobIds) => opened({}, jobIds)],
	['a pool', (jobIds) => openPoolEvents({ servers: [{ baseUrl: engine.sandbox.urls.engine, engineUrl: '', wanted: 'engine' }] }, jobIds)],
	[
		'a service',
		(jobIds) => {
			const { urls, keys } = engine.sandbox;
			return openServiceEvents({ source: 'jobs', baseUrl: urls.self_hosted, token: keys.apiKey, jobIds, needsPercent: false });
		},
	],
])('a check of %s fails for the second of two chosen jobs', async (_source, openSource) => {
	const { job_id: known } = await engine.submit();
	const [both, one] = [openSource([known, UNKNOWN]), openSource([known])];
	open.push(both, one);
	expect(await outcomeOf(both.verifyAccess())).toMatchObject({ ok: false, error: { status: 404 } });
	await expect(one.verifyAccess()).resolves.toBeUndefined();
});

test('closes a server that it finds after it was closed', async () => {
	engine.sandbox.inject({ on: 'GET /api/system_stats', fault: { kind: 'delay', ms: 200 } });
	const source = opened({}, ['some-job']);
	const checking = outcomeOf(source.verifyAccess());
	await until(() => engine.count('GET /api/system_stats') > 0);
	await source.close();
	expect(await checking).toMatchObject({ ok: false, error: { name: 'StoppedError' } });
	expect(engine.count('GET /api/history*') + engine.count('GET /api/queue')).toBe(0);
});
