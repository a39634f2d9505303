import { type EventSource, openPoolEvents, openServerEvents, openServiceEvents, type ServerSettings } from '../../../client';
import { outcomeOf } from '../../../client/async/outcome';
import { until } from '../../support/until';
import { useEngine } from '../engine/support/engine';
import { useWatches } from '../support/watching';

const engine = useEngine();
const watch = useWatches({ interface: 'engine', milestones: [] });
const open: EventSource[] = [];
afterEach(async () => void (await Promise.all(open.splice(0).map(async (source) => await source.close()))));

function opened(settings: Partial<ServerSettings> = {}, jobIds: string[] = []): EventSource {
	const source = openServerEvents({ baseUrl: engine.sandbox.urls.engine, engineUrl: '', wanted: 'engine', ...settings }, jobIds);
	open.push(source);
	return source;
}

test('a lasting error makes the search less frequent', async () => {
	engine.sandbox.configure({ engineAuthorization: 'Basic x' });
	const source = opened();
	const { troubles, leave } = watch(async (listener, signal) => await source.watch(listener, signal));
	await until(() => troubles.length > 0);
	expect(troubles).toMatchObject([{ error: { code: 'unauthorized' } }]);
	expect(Math.abs((troubles[0]?.retryInMs ?? 0) - 300_000)).toBeLessThanOrEqual(75_000);
	await leave();
});

test('names the likeliest interface until the server is found, and the watch uses the server that a check found', async () => {
	const source = opened({ wanted: 'any' });
	expect([source.interface, opened().interface]).toEqual(['v2', 'engine']);
	await source.verifyAccess();
	expect(source.interface).toBe('engine');
	engine.sandbox.resetRecords();
	const watching = watch(async (listener, signal) => await source.watch(listener, signal));
	await until(() => watching.connects > 0);
	await watching.leave();
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
