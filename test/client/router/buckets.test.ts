import { ApiError, ROUTER_BUCKETS, UnknownOutcomeError, UnreadableAnswerError } from '../../../client';
import { raw } from '../support/answering';
import { failureOf } from '../support/bytes';
import type { Answer } from '../support/server';
import { BUCKETS, refusal, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const read = async (answer: Answer) => await failureOf(answers.answering(answer).model('lab/open'));

test('all nineteen buckets are known', () => {
	expect(new Set(ROUTER_BUCKETS)).toEqual(new Set(BUCKETS.map(([bucket]) => bucket)));
});

test.each(BUCKETS)(
	'%s (%d) is read from the header, whatever the body says, and may leave the outcome of a run open',
	async (bucket, status) => {
		const body = { detail: 'Words', error_type: 'another_word' };
		const error = await answers.failure(refusal(status, bucket, { body }));
		const isUnknown = status >= 500;
		expect(error).toBeInstanceOf(isUnknown ? UnknownOutcomeError : ApiError);
		const facts = { interface: 'router', code: bucket, status, message: 'Words', requestId: 'req-1', details: undefined };
		expect(isUnknown ? (error as Error).cause : error).toMatchObject(facts);
	},
);

test('a bucket of tomorrow counts as internal_error and is kept', async () => {
	const expected = { code: 'internal_error', status: 418, details: { error_type: 'bucket_of_tomorrow' } };
	await expect(read(refusal(418, 'bucket_of_tomorrow'))).resolves.toMatchObject(expected);
});

test('a rejected input is reported with each of its faults, and the message names their places', async () => {
	const detail = [
		{ loc: ['body', 'messages', 0, 'role'], msg: 'Field required', type: 'missing' },
		{ loc: ['body', 'a b'], msg: 'Too long', type: 'string_too_long', ctx: { max_length: 3 } },
		{ loc: ['body'], msg: 'No object', type: 'dict_type' },
	];
	await expect(read(refusal(422, 'invalid_input', { body: { detail } }))).resolves.toMatchObject({
		message: 'messages[0].role: Field required; ["a b"]: Too long; body: No object',
		details: { detail: detail.map((fault, index) => ({ ...fault, path: ['messages[0].role', '["a b"]', 'body'][index] })) },
	});
});

test('spend of which one header is missing leaves that one unknown, and Retry-After counts seconds', async () => {
	const headers = { 'x-committed-spend-limit': '5', 'retry-after': '9' };
	const expected = { details: { spend: { limit: 5, current: null, remaining: null } }, retryAfterMs: 9_000 };
	await expect(read(refusal(429, 'concurrency_limit_exceeded', { headers }))).resolves.toMatchObject(expected);
});

test.each(['service', 'comfy'])("the headers x-%s-… keep the provider's words and the spend", async (vendor) => {
	const headers = {
		[`x-${vendor}-upstream-status`]: '400',
		[`x-${vendor}-upstream-detail`]: 'in the header',
		[`x-${vendor}-refusal-subject`]: 'output',
		'x-committed-spend-limit': '500',
		'x-committed-spend-current': '480',
		'x-committed-spend-remaining': '20',
	};
	const body = { detail: 'Refused', error_type: 'content_policy_violation', upstream_detail: { in: 'the body' } };
	await expect(read(refusal(400, 'content_policy_violation', { vendor, headers, body }))).resolves.toMatchObject({
		code: 'content_policy_violation',
		message: 'Refused',
		requestId: 'req-1',
		details: {
			upstream_detail: { in: 'the body' },
			upstream_status: 400,
			refusal_subject: 'output',
			spend: { limit: 500, current: 480, remaining: 20 },
		},
	});
});

test.each([
	[401, 'unauthorized'],
	[402, 'insufficient_credits'],
	[403, 'forbidden'],
	[429, 'rate_limited'],
	[503, 'service_unavailable'],
	[500, 'internal_error'],
])('without a bucket, %d counts as %s', async (status, code) => {
	await expect(read(raw(status, 'text/plain', 'no'))).resolves.toMatchObject({ code, status, requestId: 'req-1' });
});

test.each([
	['a page without a bucket', raw(502, 'text/html', '<html></html>'), { reason: 'html', status: 502, requestId: 'req-1' }],
	["another product's 404", raw(404, 'application/json', '{"error":"nope"}'), { reason: 'unexpected', status: 404 }],
])("%s is none of the router's words", async (_name, answer, facts) => {
	const error = await read(answer);
	expect(error).toBeInstanceOf(UnreadableAnswerError);
	expect(error).toMatchObject({ facts });
});
