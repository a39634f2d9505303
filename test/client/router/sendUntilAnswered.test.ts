/** What a call with a key reports while it is sent, so that its caller knows later whether a run may exist. */
import { type Decision, withObserver } from '../../../client/log/observer';
import { json } from '../support/server';
import { failureOf } from '../support/bytes';
import { finished, lost, refusal, run, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;

test.each([
	['a refusal of the input', refusal(422, 'invalid_input'), 0],
	['a busy router', refusal(429, 'rate_limited'), 0],
	['a failed provider', refusal(502, 'provider_error'), 1],
	['a lost answer', lost, 1],
	['a result', finished(), 0],
])('reports that a run may exist after %s: %d times', async (_name, answer, times) => {
	const [onSending, onMayHaveRun] = [jest.fn(), jest.fn()];
	await run(answers.answering(answer), { onSending, onMayHaveRun }).catch(() => undefined);
	expect([onSending, onMayHaveRun].map(({ mock }) => mock.calls.length)).toEqual([1, times]);
});

test('reports nothing where nothing is sent, because the key is too old', async () => {
	const onSending = jest.fn();
	const firstSentAt = Date.now() - DAY_MS;
	const failure = await failureOf(run(answers.answering(finished()), { onSending, firstSentAt }));
	const message = `It was first sent at ${new Date(firstSentAt).toISOString()}`;
	expect(failure).toMatchObject({ interface: 'router', code: 'idempotency_key_expired', status: 410, message });
	expect([onSending.mock.calls.length, answers.calls().length]).toEqual([0, 0]);
});

test.each([
	['firstSentAt', 'six minutes before its end', 6, true],
	['firstSentAt', 'four minutes before its end', 4, false],
	['mayExistSince', 'six minutes before its end', 6, true],
	['mayExistSince', 'four minutes before its end', 4, false],
] as const)('a key may be sent until five minutes before its end (%s): %s', async (field, _name, minutes, isSent) => {
	const sending = run(answers.answering(finished()), { [field]: Date.now() - DAY_MS + minutes * MINUTE_MS });
	if (isSent) await expect(sending).resolves.toMatchObject({ output: { value: { done: true } } });
	else await expect(sending).rejects.toMatchObject({ code: 'idempotency_key_expired' });
	expect(answers.calls()).toHaveLength(isSent ? 1 : 0);
});

test('the time from which somebody may have sent it counts before the time of this submission', async () => {
	const options = { firstSentAt: Date.now(), mayExistSince: Date.now() - DAY_MS };
	await expect(run(answers.answering(finished()), options)).rejects.toMatchObject({
		code: 'idempotency_key_expired',
		details: { may_exist_since: new Date(options.mayExistSince).toISOString() },
	});
});

test('the last attempt has five seconds, so that it can bring an answer that is ready', async () => {
	const slow = answers.answering(async (request, response) => {
		await new Promise((resolve) => setTimeout(resolve, 1_200));
		await finished()(request, response);
	});
	await expect(run(slow, { maxWaitMs: 0 })).resolves.toMatchObject({ output: { value: { done: true } } });
});

test.each([
	['a replay', json(200, { done: true }, { 'idempotent-replayed': 'true' }), [], 1],
	['a replay after an answer of ours was lost', json(200, { done: true }, { 'idempotent-replayed': 'true' }), [lost], 0],
	['a call that still runs', finished(), [refusal(409, 'concurrency_limit_exceeded')], 1],
	['a new run', finished(), [], 0],
])('reports an earlier run by %s: %#', async (_name, answer, before, times) => {
	const onFound = jest.fn();
	const found: Decision[] = [];
	const onDecision = (decision: Decision) => void (decision.kind !== 'retry' && found.push(decision));
	const observer = { onExchange: () => undefined, onDecision };
	await withObserver(observer, async () => await run(answers.answering(...before, answer), { onRecovered: onFound, maxWaitMs: 10_000 }));
	expect(onFound).toHaveBeenCalledTimes(times);
	expect(found).toEqual(Array(times).fill({ kind: 'job_recovered', by: 'key' }));
});
