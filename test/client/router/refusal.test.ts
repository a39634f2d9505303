import { UnreadableAnswerError } from '../../../client';
import { raw } from '../support/answering';
import { refusal, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();
const read = (answer: Parameters<typeof answers.failure>[0]) => answers.failure(answer, (router) => router.model('lab/open'));

test.each(['service', 'comfy'])("x-%s-…: the provider's words and the spend are kept", async (vendor) => {
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
		details: {
			upstream_detail: { in: 'the body' },
			upstream_status: 400,
			refusal_subject: 'output',
			spend: { limit: 500, current: 480, remaining: 20 },
		},
	});
});

describe('in place of the words of the router', () => {
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

	test('a page without a bucket is told as one', async () => {
		const error = await read(raw(502, 'text/html', '<html></html>'));
		expect(error).toBeInstanceOf(UnreadableAnswerError);
		expect(error).toMatchObject({ facts: { reason: 'html', status: 502, requestId: 'req-1' } });
	});

	test("another product's 404 is none of the router's", async () => {
		await expect(read(raw(404, 'application/json', '{"error":"nope"}'))).resolves.toMatchObject({
			facts: { reason: 'unexpected', status: 404 },
		});
	});
});
