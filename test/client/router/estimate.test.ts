import { isRecord } from '../../../client';
import { failureOf } from '../support/bytes';
import { lost, MODEL, finished, refusal, run, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const NONE = { amount_usd: null, min_amount_usd: null, max_amount_usd: null, reason: null, pricing_as_of: null };
const estimateOf = async (answer: unknown) => await answers.answering(finished(answer)).estimate(MODEL, { prompt: 'x' });
const AS_OF = { pricing_as_of: '2026-11-01' };

test('sends the input of the run, and the provider if it is chosen', async () => {
	const router = answers.answering(finished({ source: 'exact', amount: 1 }));
	await router.estimate(MODEL, { prompt: '2024' });
	await router.estimate('lab/other', { size: 2 }, { modelProvider: 'aurora' });
	expect(answers.calls()).toEqual([`POST /v2/models/${MODEL}/estimate`, 'POST /v2/models/lab/other/estimate?model_provider=aurora']);
	expect(answers.server.seen.map(({ body }) => JSON.parse(String(body)) as unknown)).toEqual([{ prompt: '2024' }, { size: 2 }]);
});

test.each([
	[
		{ source: 'exact', amount: 0.04, ...AS_OF },
		{ source: 'exact', amount_usd: 0.04, ...AS_OF },
	],
	[
		{ source: 'exact', amount: '0.0001896' },
		{ source: 'exact', amount_usd: 0.0001896 },
	],
	[
		{ source: 'exact', amount: 0, currency: 'USD' },
		{ source: 'exact', amount_usd: 0 },
	],
	[
		{ source: 'estimated', min_amount: '0.3', max_amount: 0.6 },
		{ source: 'estimated', min_amount_usd: 0.3, max_amount_usd: 0.6 },
	],
	[
		{ source: 'estimated', max_amount: 2, amount: 1 },
		{ source: 'estimated', max_amount_usd: 2 },
	],
	[
		{ source: 'unknown', reason: 'No price is listed', ...AS_OF },
		{ source: 'unknown', reason: 'No price is listed', ...AS_OF },
	],
	[{ source: 'unknown', amount: 1 }, { source: 'unknown' }],
])('reads %j', async (answer, expected) => {
	await expect(estimateOf(answer)).resolves.toEqual({ ...NONE, request_id: 'req-ok', ...expected });
});

test.each([
	['source', {}],
	['source', null],
	['source', []],
	['source', [{ source: 'exact', amount: 1 }]],
	['source', { amount: 1 }],
	['source', { source: 'quoted', amount: 1 }],
	['source', { source: 1, amount: 1 }],
	['amount', { source: 'exact' }],
	['amount', { source: 'exact', amount: null }],
	['amount', { source: 'exact', amount: '' }],
	['amount', { source: 'exact', amount: ' ' }],
	['amount', { source: 'exact', amount: -0.01 }],
	['amount', { source: 'exact', amount: '-1' }],
	['amount', { source: 'exact', amount: 'NaN' }],
	['amount', { source: 'exact', amount: 'Infinity' }],
	['amount', { source: 'exact', amount: '$1' }],
	['amount', { source: 'exact', amount: true }],
	['amount', { source: 'exact', amount: { usd: 1 } }],
	['amount', { source: 'exact', amount: [1] }],
	['amount', { source: 'exact', min_amount: 1, max_amount: 2 }],
	['amount', { source: 'estimated', amount: 1 }],
	['amount', { source: 'estimated', min_amount: 1 }],
	['amount', { source: 'estimated', min_amount: 2, max_amount: 1 }],
	['currency', { source: 'exact', amount: 1, currency: 'EUR' }],
	['currency', { source: 'estimated', max_amount: 1, currency: {} }],
])('an answer without a usable %s is unknown and not free: %j', async (fault, answer) => {
	await expect(estimateOf(isRecord(answer) ? { ...answer, ...AS_OF } : answer)).resolves.toEqual({
		...NONE,
		...(isRecord(answer) && AS_OF),
		request_id: 'req-ok',
		source: 'unknown',
		fault,
	});
});

test('a lost connection and a failure of the router are repeated, because nothing is charged', async () => {
	answers.answering(lost, refusal(503, 'service_unavailable'), refusal(429, 'rate_limited'), finished({ source: 'exact', amount: 2 }));
	const estimate = answers.open({ readBudgetMs: 20_000 }).estimate(MODEL, {});
	await expect(estimate).resolves.toMatchObject({ amount_usd: 2 });
	expect(answers.calls()).toHaveLength(4);
});

test.each([
	['an account without estimates', refusal(403, 'not_enabled'), { code: 'estimate_not_enabled', status: 403, requestId: 'req-1' }],
	[
		'an invalid input',
		refusal(422, 'invalid_input', { body: { detail: [{ loc: ['body', 'a'], msg: 'Bad', type: 't' }] } }),
		{ message: 'a: Bad' },
	],
	['another rejection', refusal(403, 'forbidden'), { code: 'forbidden' }],
])('is not repeated for %s', async (_name, answer, expected) => {
	answers.answering(answer);
	await expect(failureOf(answers.open({ readBudgetMs: 20_000 }).estimate(MODEL, {}))).resolves.toMatchObject(expected);
	expect(answers.calls()).toHaveLength(1);
});

test.each([
	['0.05', 0.05],
	['0', 0],
])('the cost header %s is the cost of the run', async (text, cost) => {
	const { facts } = await run(answers.answering(finished({}, { 'x-litellm-response-cost': text })));
	expect(facts.cost_usd).toBe(cost);
});

test.each([
	['-1', {}],
	['', {}],
	['much', {}],
	['0.05', { 'idempotent-replayed': 'true' }],
])('the cost header %j with %j is no cost', async (text, headers) => {
	const { facts } = await run(answers.answering(finished({}, { 'x-litellm-response-cost': text, ...headers })));
	expect(facts).not.toHaveProperty('cost_usd');
});
