import { StoppedError, type RouterRequest } from '../../../client';
import { failureOf } from '../support/bytes';
import { json, type Answer } from '../support/server';
import { until } from '../../support/until';
import { lost, useRouterAnswers } from './support/answering';
import { SUBMIT, STATUS, CANCEL, BASE, state, submitted, completed, unavailableFor, queued, own, stoppedOnce } from './support/queued';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();

describe('a stop', () => {
	test.each([
		['cancels the request first', false],
		['cancels the request also where it fires the signal of who leaves', true],
	])('%s', async (_name, alsoLeaves) => {
		const options = own({ maxWaitMs: 60_000 });
		const { router } = harness.connect();
		const isSoFar = () => harness.sandbox.requests(STATUS).length > 0;
		const failure = await stoppedOnce(isSoFar, async (signal) => {
			await router.runQueued(
				'lab/slow',
				{ ms: 5_000 },
				{ ...options, maxWaitMs: 60_000, signal, ...(alsoLeaves && { shutdownSignal: signal }) },
			);
		});
		expect(failure).toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(CANCEL).map(({ status }) => status)).toEqual([202]);
		expect(harness.billed(options.idempotencyKey)).toBe(0);
	});

	test('while the submission is on its way cancels what it made', async () => {
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'delay', ms: 1_000 } });
		const isSoFar = () => harness.sandbox.requests(SUBMIT).length === 1;
		const failure = await stoppedOnce(isSoFar, async (signal) => await queued(harness.connect().router, own({ signal })));
		expect(failure).toBeInstanceOf(StoppedError);
		expect([CANCEL, STATUS].map((on) => harness.sandbox.requests(on).length)).toEqual([1, 0]);
	});

	test.each([
		['a read of its status that gets no answer', [submitted()], 2],
		['a read of its result that gets no answer', [submitted(), completed], 3],
		['a read of a stored result that gets no answer', [submitted(), state('COMPLETED', { error_type: 'provider_error' })], 3],
		['the pause of ten minutes before its status is read again', [submitted(), unavailableFor('60000')], 2],
	])('ends %s, and cancels the request', async (_name, before, calls) => {
		const silent: Answer = (request, response) => (request.method === 'PUT' ? json(202, {})(request, response) : undefined);
		const router = answers.answering(...before, silent);
		const isSoFar = () => answers.calls().length === calls;
		const failure = await stoppedOnce(isSoFar, async (signal) => await queued(router, { signal, maxWaitMs: 900_000 }));
		expect(failure).toBeInstanceOf(StoppedError);
		expect(answers.calls().at(-1)).toBe(`PUT ${BASE}/cancel`);
	});

	test('of one of two requests that are collected cancels this one', async () => {
		const inQueue: Answer = (request, response) => (request.method === 'PUT' ? json(202, {}) : state('IN_QUEUE'))(request, response);
		const router = answers.answering(inQueue);
		const others = new AbortController();
		const options = { idempotencyKey: 'other', maxWaitMs: 900_000, shutdownSignal: others.signal };
		const other = failureOf(router.collect({ model: 'lab/open', id: 'r 2' }, options));
		const isSoFar = () => answers.calls().filter((call) => call.includes('r%201')).length > 0;
		const failure = await stoppedOnce(
			isSoFar,
			async (signal) => await router.collect({ model: 'lab/open', id: 'r 1' }, { idempotencyKey: 'one', maxWaitMs: 900_000, signal }),
		);
		others.abort();
		expect([failure, await other]).toEqual([expect.any(StoppedError), expect.any(StoppedError)]);
		expect(answers.calls().filter((call) => call.startsWith('PUT'))).toEqual([`PUT ${BASE}/cancel`]);
	});

	test('is not held up by a cancel that fails', async () => {
		const stopping = new AbortController();
		const failing = queued(answers.answering(submitted(), lost), { signal: stopping.signal, onSubmitted: () => stopping.abort() });
		await expect(failing).rejects.toBeInstanceOf(StoppedError);
		expect(answers.calls()).toEqual(['POST /v2/models/lab/open/requests', `PUT ${BASE}/cancel`]);
	});
});

test.each(['signal', 'shutdownSignal'] as const)('%s between two attempts, or before the first, sends nothing more', async (name) => {
	const router = answers.answering(unavailableFor('60'));
	const isSoFar = () => answers.calls().length === 1;
	expect(await stoppedOnce(isSoFar, async (signal) => await queued(router, { [name]: signal }))).toBeInstanceOf(StoppedError);
	await expect(queued(router, { [name]: AbortSignal.abort() })).rejects.toBeInstanceOf(StoppedError);
	expect(answers.calls()).toHaveLength(1);
});

describe('shutdownSignal', () => {
	test('ends the wait at once and cancels nothing; the request is collected later, billed once', async () => {
		const { idempotencyKey: key } = own();
		const seen: RouterRequest[] = [];
		const { router } = harness.connect();
		// The request waits in the queue until the process has left.
		harness.sandbox.setRouterConcurrency(0);
		// A second between two looks: one that is on its way would be counted below.
		const slow = harness.connect({ limits: { pauseScale: 1 } }).router;
		const isSoFar = () => harness.sandbox.requests(STATUS).some(({ finished: isOver }) => isOver);
		const failure = await stoppedOnce(isSoFar, async (leaving) => {
			const onSubmitted = (request: RouterRequest) => void seen.push(request);
			await slow.runQueued('lab/slow', { ms: 10 }, { idempotencyKey: key, maxWaitMs: 60_000, shutdownSignal: leaving, onSubmitted });
		});
		expect(failure).toBeInstanceOf(StoppedError);
		expect(harness.billed(key)).toBe(0);
		const collected = async (leaving?: AbortSignal) =>
			await router.collect(
				{ model: 'lab/slow', id: String(seen[0]?.id) },
				{ idempotencyKey: key, maxWaitMs: 60_000, shutdownSignal: leaving },
			);
		// Who has left already gets one look.
		harness.sandbox.resetRecords();
		await expect(collected(AbortSignal.abort())).rejects.toBeInstanceOf(StoppedError);
		expect(harness.sandbox.requests(STATUS)).toHaveLength(1);
		harness.sandbox.setRouterConcurrency(Infinity);
		for (const leaving of [undefined, AbortSignal.abort()])
			await expect(collected(leaving)).resolves.toMatchObject({ output: { value: { waited_ms: 10 } } });
		expect([harness.billed(key), harness.sandbox.requests(CANCEL).length]).toEqual([1, 0]);
	});

	test('while the submission is on its way lets it come to its end; a stop after that cancels nothing', async () => {
		// As n8n's shutdown: a stop fires it, too.
		const [stop, shutdown] = [new AbortController(), new AbortController()];
		const signals = { signal: stop.signal, shutdownSignal: AbortSignal.any([stop.signal, shutdown.signal]) };
		const seen: RouterRequest[] = [];
		harness.sandbox.inject({ on: SUBMIT, fault: { kind: 'delay', ms: 1_000 } });
		const options = own({ ...signals, onSubmitted: (request) => seen.push(request) });
		const failing = failureOf(queued(harness.connect().router, options));
		await until(() => harness.sandbox.requests(SUBMIT).length === 1);
		shutdown.abort();
		await new Promise(setImmediate);
		stop.abort();
		await expect(failing).resolves.toBeInstanceOf(StoppedError);
		expect(seen).toHaveLength(1);
		expect(harness.sandbox.requests(CANCEL)).toHaveLength(0);
	});

	test('cuts a long pause, and looks no more', async () => {
		const router = answers.answering(submitted({}, { 'retry-after': '60000' }));
		const isSoFar = () => answers.calls().length === 1;
		const failure = await stoppedOnce(
			isSoFar,
			async (leaving) => await queued(router, { maxWaitMs: 100_000_000, shutdownSignal: leaving }),
		);
		expect(failure).toBeInstanceOf(StoppedError);
		expect(answers.calls()).toHaveLength(1);
	});
});
