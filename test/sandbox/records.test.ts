/** What the sandbox remembers of requests, and how it names them. */
import { until } from '../support/until';
import { startSandbox, type Sandbox } from '../../sandbox';
import { routeMatcher } from '../../sandbox/http/routeMatcher';
import { Caller } from './support/caller';
import { picture, slowPicture } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
});
afterAll(async () => await sandbox.close());
beforeEach(() => sandbox.resetRecords());

test('a request with its headers, and the bytes of both bodies', async () => {
	const { status, headers, text } = await hosted.call('POST', '/jobs?dry=1', { json: { workflow: picture() } });
	const [record] = sandbox.requests('POST /api/v2/jobs');
	expect(record).toMatchObject({
		surface: 'hosted',
		method: 'POST',
		path: '/api/v2/jobs',
		url: `${sandbox.urls.hosted}/api/v2/jobs`,
		query: 'dry=1',
		status,
		requestId: headers.get('x-service-request-id'),
	});
	expect(record?.headers.authorization).toBe(`Bearer ${sandbox.keys.apiKey}`);
	expect(record?.bodyBytes).toBe(Number(record?.headers['content-length']));
	expect(record?.responseBytes).toBeGreaterThan(text.length);
	expect(record?.responseBytes).toBeLessThan(text.length + 600);
});

test('bytes are counted for each request of a connection that is kept open', async () => {
	const path = `/jobs/${sandbox.seeds.pinnedJob}`;
	for (let call = 0; call < 3; call++) await hosted.call('GET', path);
	const sizes = sandbox.requests('GET /api/v2/jobs/:id').map(({ responseBytes }) => responseBytes);
	expect(new Set(sizes).size).toBe(1);
});

test('a request that nobody answers stays open until its caller leaves', async () => {
	sandbox.inject({ on: 'GET /api/v2/jobs/:id', fault: { kind: 'stall' } });
	const leave = new AbortController();
	const call = hosted.call('GET', '/jobs/x', { signal: leave.signal });
	await until(() => sandbox.requests().length === 1);
	expect(sandbox.requests()).toMatchObject([{ status: null, finished: false }]);
	leave.abort();
	await expect(call).rejects.toThrow();
	await until(() => sandbox.requests()[0]?.finished === true);
});

test('the peak of requests open at once', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', times: 3, fault: { kind: 'delay', ms: 1_000 } });
	await Promise.all(Array.from({ length: 3 }, async () => await hosted.submit(picture())));
	await hosted.submit(picture());
	sandbox.clearFaults();
	expect([sandbox.peak('POST /api/v2/jobs'), sandbox.peak('POST /api/v2/jobs', 'deployment'), sandbox.peak('GET *')]).toEqual([3, 0, 0]);
	sandbox.resetRecords();
	expect(sandbox.peak('POST /api/v2/jobs')).toBe(0);
});

test('the peak of jobs in flight', async () => {
	const deployment = new Caller(sandbox, 'deployment');
	const ids = [await deployment.started(slowPicture(30)), await deployment.started(slowPicture(30))];
	for (const id of ids) await deployment.read(id);
	await deployment.finished(picture());
	expect([sandbox.peakJobs('deployment'), sandbox.peakJobs('self_hosted')]).toEqual([2, 0]);
});

test('the request id goes by either name', async () => {
	sandbox.configure({ requestIdHeader: 'X-Comfy-Request-Id' });
	const { headers } = await hosted.call('GET', '/jobs/x');
	expect([headers.get('x-comfy-request-id'), headers.get('x-service-request-id')]).toEqual([sandbox.requests()[0]?.requestId, null]);
	sandbox.configure({ requestIdHeader: 'X-Service-Request-Id' });
});

test.each([
	['GET /api/v2/jobs/:id', 'GET', '/api/v2/jobs/5', true],
	['GET /api/v2/jobs/:id', 'GET', '/api/v2/jobs/5/events', false],
	['GET /api/v2/jobs/:id', 'POST', '/api/v2/jobs/5', false],
	['get /api/v2/jobs', 'GET', '/api/v2/jobs', true],
	['* /api/v2/*', 'DELETE', '/api/v2/assets/5', true],
	['GET *', 'GET', '/anything/at/all', true],
	['HEAD /api/v2/assets/by-hash/:hash', 'HEAD', '/api/v2/assets/by-hash/blake3%3Aab', true],
	['GET /a.b', 'GET', '/aXb', false],
])('%s names %s %s: %s', (on, method, path, expected) => {
	expect(routeMatcher(on)({ surface: 'hosted', method, path })).toBe(expected);
});
