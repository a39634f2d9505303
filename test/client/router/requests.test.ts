import { type ModelRouter, type RouterRequest, StoppedError } from '../../../client';
import { json } from '../support/server';
import { FAST, finished, refusal, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const ADDRESS = { model: 'lab/open', id: 'r 1' };
const ENDED = { id: 'r 1', status: 'COMPLETED', queue_position: null, error_type: 'provider_error' } as RouterRequest;
const BASE = '/v2/models/lab/open/requests/r%201';

test('the status of each of two requests of a model is read: words, place and times as the router says them', async () => {
	const status = { request_id: 'r 1', status: 'IN_QUEUE', queue_position: 4, tomorrow: true };
	const router = answers.answering(json(200, status, { 'x-comfy-request-id': 'req-9', 'retry-after': '7' }));
	await expect(router.requestStatus(ADDRESS)).resolves.toEqual({
		id: 'r 1',
		request_id: 'req-9',
		status: 'IN_QUEUE',
		queue_position: 4,
		error_type: null,
		retryAfterMs: 7_000,
		tomorrow: true,
	});
	await router.requestStatus({ ...ADDRESS, id: 'r 2' });
	expect(answers.calls()).toEqual([`GET ${BASE}/status`, `GET ${BASE.replace('r%201', 'r%202')}/status`]);
});

describe('the answer to a cancel', () => {
	test.each([202, 409, 400])('%d with a word is one', async (status) => {
		const router = answers.answering(json(status, { status: 'ALREADY_COMPLETED', detail: 'Done' }, { 'x-service-request-id': 'req-c' }));
		await expect(router.cancelRequest(ADDRESS)).resolves.toEqual({ status: 'ALREADY_COMPLETED', request_id: 'req-c' });
		expect(answers.calls()).toEqual([`PUT ${BASE}/cancel`]);
	});

	test.each(['', 'null', '"soon"'])('202 without a word means that it was asked for: %j', async (body) => {
		const router = answers.answering((_request, response) => void response.writeHead(202).end(body));
		await expect(router.cancelRequest(ADDRESS)).resolves.toMatchObject({ status: 'CANCELLATION_REQUESTED' });
	});

	test.each([
		['400 without one', 400, 'invalid_input', undefined],
		['404', 404, 'request_not_found', { status: 'UNKNOWN' }],
	])('%s is a refusal', async (_name, status, code, body) => {
		await expect(answers.answering(refusal(status, code, { body })).cancelRequest(ADDRESS)).rejects.toMatchObject({ code, status });
	});
});

const CALLS: Array<[name: string, call: (router: ModelRouter, signal?: AbortSignal) => Promise<unknown>]> = [
	['a read of the status', async (router, signal) => await router.requestStatus(ADDRESS, { signal })],
	['a read of the result', async (router, signal) => await router.requestResult(ADDRESS, { signal })],
	['a read of a stored result', async (router, signal) => await router.requestResult(ADDRESS, { signal, request: ENDED })],
	['a cancel', async (router, signal) => await router.cancelRequest(ADDRESS, { signal })],
];

test.each(CALLS)('%s that gets no answer ends after the time of one call, or at a stop', async (name, call) => {
	const router = answers.answering(() => undefined);
	const ended = { code: 'provider_error', message: 'The request ended with provider_error' };
	const told = name.includes('stored') ? ended : { trouble: 'timeout' };
	await expect(call(answers.open({ limits: { ...FAST, requestMs: 60 } }))).rejects.toMatchObject(told);
	await expect(call(router, AbortSignal.timeout(60))).rejects.toBeInstanceOf(StoppedError);
});

test('the result of a request is not there before its end, belongs to no key, and has aged out at last', async () => {
	const router = answers.answering(json(202, { status: 'IN_PROGRESS' }), finished(), refusal(410, 'request_not_found'));
	await expect(router.requestResult(ADDRESS, { request: { ...ENDED, error_type: null } })).resolves.toBeUndefined();
	await expect(router.requestResult(ADDRESS)).resolves.toMatchObject({
		output: { value: { done: true } },
		facts: { idempotency_key: null, request_id: 'req-ok' },
	});
	await expect(router.requestResult(ADDRESS)).rejects.toMatchObject({ code: 'request_not_found', status: 410 });
});

test('a result that begins, and does not come whole, ends after the longest time of a run', async () => {
	answers.answering((_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'));
	const router = answers.open({ limits: { ...FAST, holdMs: 60 } });
	await expect(router.requestResult(ADDRESS)).rejects.toMatchObject({ trouble: 'timeout' });
});

test.each(['', '..'])('an id that no router gives is that of no request: %j', async (id) => {
	const refused = { interface: 'router', code: 'request_not_found', status: 404 };
	await expect(answers.answering(finished()).requestStatus({ ...ADDRESS, id })).rejects.toMatchObject(refused);
	expect(answers.calls()).toEqual([]);
});

describe('the end of a run, told by the read of its result', () => {
	test.each([
		[502, 'provider_error'],
		[504, 'provider_timeout'],
		[504, 'queue_timeout'],
		[504, 'deadline_exceeded'],
		[503, 'client_disconnected'],
		[503, 'cancelled'],
	])('%d %s is final', async (status, bucket) => {
		const router = answers.answering(refusal(status, bucket)) && answers.open({ readBudgetMs: 5_000 });
		await expect(router.requestResult(ADDRESS)).rejects.toMatchObject({ code: bucket, status });
		expect(answers.calls()).toHaveLength(1);
	});

	test('503 is a trouble of the read', async () => {
		answers.answering(refusal(503, 'service_unavailable'), finished());
		await expect(answers.open({ readBudgetMs: 5_000 }).requestResult(ADDRESS)).resolves.toMatchObject({ output: { kind: 'json' } });
	});
});
