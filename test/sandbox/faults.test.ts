/** Every fault, as a caller sees it. */
import { startSandbox, type Sandbox } from '../../sandbox';
import { PATIENCE_MS, until } from '../support/until';
import { Caller } from './support/caller';
import { eventsOf, parseEvents, textWithin } from './support/events';
import { picture, slowPicture } from './support/graphs';

let sandbox: Sandbox;
let hosted: Caller;
let selfHosted: Caller;
let jobPath: string;
beforeAll(async () => {
	sandbox = await startSandbox();
	hosted = new Caller(sandbox, 'hosted');
	selfHosted = new Caller(sandbox, 'self_hosted');
	jobPath = `/jobs/${sandbox.seeds.pinnedJob}`;
});
afterAll(async () => await sandbox.close());
afterEach(() => sandbox.clearFaults());

const ON_JOB = 'GET /api/v2/jobs/:id';
const ON_STREAM = 'GET /api/v2/jobs/:id/events';

test('an injected answer has its status, code, Retry-After, details and headers, and comes once', async () => {
	const fault = sandbox.inject({
		on: ON_JOB,
		answer: { status: 429, code: 'rate_limited', message: 'slow down', details: { a: 1 }, retryAfter: 7, headers: { 'X-Extra': 'yes' } },
	});
	const { status, headers, json } = await hosted.call('GET', jobPath);
	expect([status, json]).toEqual([429, { error: { code: 'rate_limited', message: 'slow down', details: { a: 1 } } }]);
	const names = ['retry-after', 'x-extra', 'x-service-request-id'];
	expect(names.map((name) => headers.get(name))).toEqual(['7', 'yes', expect.stringMatching(/^req_/)]);
	expect(fault.used).toBe(1);
	expect((await hosted.call('GET', jobPath)).status).toBe(200);
});

test('an injected answer also hits unknown jobs and callers without a key', async () => {
	sandbox.inject({ on: ON_JOB, times: 2, answer: { status: 429, code: 'rate_limited', retryAfter: 1 } });
	expect((await hosted.call('GET', '/jobs/unknown')).status).toBe(429);
	expect((await hosted.call('GET', jobPath, { key: null })).status).toBe(429);
});

const JSON_TYPE = 'application/json';
const NOT_FOUND = { status: 404, code: 'not_found' };

test.each([
	['details left out', NOT_FOUND, '{"error":{"code":"not_found","message":"Injected not_found"}}', JSON_TYPE],
	['details null', { ...NOT_FOUND, message: 'x', details: null }, '{"error":{"code":"not_found","message":"x","details":null}}', JSON_TYPE],
	['no body', { status: 503 }, '', null],
	['raw text', { status: 200, body: 'plain', headers: { 'content-type': 'text/plain' } }, 'plain', 'text/plain'],
	['a web page', { status: 502, html: true }, expect.stringMatching(/^<!DOCTYPE html>/), 'text/html'],
	['broken JSON', { status: 500, badJson: true }, '{"error":{"code":"upstr', JSON_TYPE],
	['any JSON', { status: 200, json: { id: 5 } }, '{"id":5}', JSON_TYPE],
])('an injected answer can have %s', async (_what, answer, text, type) => {
	sandbox.inject({ on: ON_JOB, answer });
	const called = await hosted.call('GET', jobPath);
	expect([called.status, called.text]).toEqual([answer.status, text]);
	expect(called.headers.get('content-type')?.split(';')[0] ?? null).toBe(type);
});

test('a late answer comes after the service has done its work', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', late: true, answer: { status: 500, code: 'upstream_error' } });
	const runs = sandbox.ledger.runs.length;
	expect(await hosted.submit(picture())).toMatchObject({ status: 500, code: 'upstream_error' });
	expect(sandbox.ledger.runs).toHaveLength(runs + 1);
});

test('a rule skips requests, counts hits, keeps to its surface, and can be removed', async () => {
	const fault = sandbox.inject({ on: '* /api/v2/*', surface: 'hosted', skip: 1, times: Infinity, answer: { status: 500 } });
	const statuses = [];
	for (let call = 0; call < 3; call++) statuses.push((await hosted.call('GET', jobPath)).status);
	expect((await selfHosted.call('GET', jobPath)).status).toBe(404);
	fault.remove();
	statuses.push((await hosted.call('GET', jobPath)).status);
	expect([statuses, fault.used]).toEqual([[200, 500, 500, 200], 2]);
});

test('a rule without a fault or without a route is refused', () => {
	expect(() => sandbox.inject({ on: ON_JOB })).toThrow('needs an answer or a fault');
	expect(() => sandbox.inject({ on: 'jobs', answer: { status: 500 } })).toThrow('Not a route');
});

test('drop_before cuts the connection before the service sees the request, drop_after after its work', async () => {
	const runs = () => sandbox.ledger.runs.length;
	const before = runs();
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'drop_before' } });
	await expect(hosted.submit(picture())).rejects.toThrow();
	expect(runs()).toBe(before);
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'drop_after' } });
	await expect(hosted.submit(picture())).rejects.toThrow();
	expect(runs()).toBe(before + 1);
	expect(sandbox.requests('POST /api/v2/jobs').slice(-2)).toMatchObject([{ status: null }, { status: null }]);
});

test.each([0, 10])('truncate sends %d bytes under the full content length', async (afterBytes) => {
	sandbox.inject({ on: ON_JOB, fault: { kind: 'truncate', afterBytes } });
	const response = await hosted.fetch('GET', jobPath);
	expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
	const received: Uint8Array[] = [];
	await expect(
		(async () => {
			for await (const chunk of response.body ?? []) received.push(chunk as Uint8Array);
		})(),
	).rejects.toThrow();
	expect(Buffer.concat(received)).toHaveLength(afterBytes);
});

test('stall pauses an answer and goes on', async () => {
	sandbox.inject({ on: ON_JOB, fault: { kind: 'stall', ms: 600, afterBytes: 5 } });
	const response = await hosted.fetch('GET', jobPath);
	const headAt = performance.now();
	expect(await response.json()).toMatchObject({ id: sandbox.seeds.pinnedJob });
	expect(performance.now() - headAt).toBeGreaterThan(100);
});

test('stall without a time sends not even the head', async () => {
	sandbox.inject({ on: ON_JOB, fault: { kind: 'stall' } });
	await expect(hosted.call('GET', jobPath, { signal: AbortSignal.timeout(150) })).rejects.toThrow(/timeout/);
});

test('stall pauses in the middle of a streamed file', async () => {
	const { json } = await selfHosted.upload(Buffer.alloc(300_000, 7));
	sandbox.inject({ on: 'GET /api/v2/assets/:id/content', fault: { kind: 'stall', ms: 50, afterBytes: 100_000 } });
	const response = await selfHosted.fetch('GET', `/assets/${String(json.id)}/content`);
	expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.alloc(300_000, 7))).toBe(true);
});

test('delay holds a request back from the service', async () => {
	sandbox.inject({ on: ON_JOB, fault: { kind: 'delay', ms: 100 } });
	const start = performance.now();
	expect((await hosted.call('GET', jobPath)).status).toBe(200);
	expect(performance.now() - start).toBeGreaterThan(95);
});

test.each([
	['cuts the caller off', undefined],
	['answers 502', { status: 502, html: true }],
])('late_delivery takes the whole request, %s, and delivers it later', async (_, answer) => {
	const before = sandbox.ledger.runs.length;
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'late_delivery', ms: 1_500 }, answer });
	const status = await hosted.submit(picture()).then(
		(called) => called.status,
		() => 'cut off',
	);
	expect([status, sandbox.ledger.runs.length - before]).toEqual([answer?.status ?? 'cut off', 0]);
	await until(() => sandbox.ledger.runs.length > before);
});

test('late_delivery leaves the second fault of a route to the next request', async () => {
	const before = sandbox.ledger.runs.length;
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'late_delivery', ms: 10 } });
	sandbox.inject({ on: 'POST /api/v2/jobs', answer: { status: 503 } });
	await hosted.submit(picture()).catch(() => undefined);
	await until(() => sandbox.ledger.runs.length > before);
	expect((await hosted.submit(picture())).status).toBe(503);
});

test('duplicate delivers a request twice and returns the second answer', async () => {
	sandbox.inject({ on: 'POST /api/v2/jobs', fault: { kind: 'duplicate' } });
	const runs = sandbox.ledger.runs.length;
	expect(await hosted.submit(picture(), { key: 'doubled' })).toMatchObject({ code: 'idempotency_key_reuse' });
	expect(sandbox.ledger.runs).toHaveLength(runs + 1);
});

test('false_expired reports a running job once as expired', async () => {
	const jobId = await selfHosted.started(slowPicture(20));
	sandbox.inject({ on: ON_JOB, fault: { kind: 'false_expired' } });
	expect((await selfHosted.call('GET', `/jobs/${jobId}`)).json.status).toBe('expired');
	expect((await selfHosted.read(jobId)).status).toBe('succeeded');
});

describe('event streams', () => {
	afterEach(() => sandbox.configure({ keepAliveMs: 15_000, workers: 4 }));
	const streamOf = async (jobId: string) => await hosted.fetch('GET', `/jobs/${jobId}/events`);

	test('a self-hosted surface refuses the ninth open stream, until another one ends', async () => {
		sandbox.configure({ workers: 0 });
		const id = await selfHosted.started(picture());
		const leave = new AbortController();
		const open = async (signal?: AbortSignal) =>
			await selfHosted.fetch('GET', `/jobs/${id}/events`, signal === undefined ? {} : { signal });
		const first = await open(leave.signal);
		const others = [];
		for (let stream = 1; stream < 8; stream++) others.push(await open());
		const refused = await open();
		const refusal = [refused.status, refused.headers.get('retry-after'), await refused.json()];
		expect(refusal).toMatchObject([429, '5', { error: { code: 'too_many_streams' } }]);
		leave.abort();
		await expect(first.text()).rejects.toThrow();
		await until(() => sandbox.requests(ON_STREAM, 'self_hosted')[0]?.finished === true);
		const again = await open();
		expect(again.status).toBe(200);
		await Promise.all([...others, again].map(async (response) => await response.body?.cancel()));
	});

	test('lost_stream cuts a stream behind the events that were sent', async () => {
		sandbox.inject({ on: ON_STREAM, fault: { kind: 'lost_stream', afterEvents: 2 } });
		const { text, cut } = await textWithin(await streamOf(await hosted.started(slowPicture(20))), PATIENCE_MS);
		expect([parseEvents(text).length, cut]).toEqual([2, true]);
	});

	test('silent_stream keeps a stream open and sends nothing more, not even comments', async () => {
		sandbox.configure({ keepAliveMs: 10 });
		sandbox.inject({ on: ON_STREAM, fault: { kind: 'silent_stream', afterEvents: 1 } });
		const id = await hosted.started(slowPicture(5));
		const stream = await streamOf(id);
		await hosted.read(id);
		const { text, cut } = await textWithin(stream, 100);
		expect([parseEvents(text).length, text.includes('keep-alive'), cut]).toEqual([1, false, false]);
	});

	test('error_event ends a stream with an error', async () => {
		sandbox.inject({ on: ON_STREAM, fault: { kind: 'error_event', code: 'upstream_error', afterEvents: 1 } });
		const events = await eventsOf(await streamOf(await hosted.started(slowPicture(5))));
		expect(events.map(({ event }) => event)).toEqual(['status', 'error']);
		expect(events[1]?.data).toMatchObject({ error: { code: 'upstream_error' } });
	});
});
