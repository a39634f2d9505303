import { ApiError, ROUTER_BUCKETS, UnknownOutcomeError } from '../../../client';
import { failureOf } from '../support/bytes';
import { refusal, useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();

/** The specification's fifteen, then the four of newer documents; the status each comes with. */
const TABLE: Array<[bucket: string, status: number]> = [
	['invalid_input', 400],
	['content_policy_violation', 400],
	['provider_error', 502],
	['provider_timeout', 504],
	['insufficient_credits', 402],
	['model_not_found', 404],
	['unauthorized', 401],
	['forbidden', 403],
	['concurrency_limit_exceeded', 429],
	['client_disconnected', 499],
	['internal_error', 500],
	['deadline_exceeded', 504],
	['not_enabled', 403],
	['service_unavailable', 503],
	['rate_limited', 429],
	['cancelled', 409],
	['queue_timeout', 504],
	['request_not_found', 404],
	['queue_backlog_full', 429],
];

test('all nineteen are known', () => {
	expect(new Set(ROUTER_BUCKETS)).toEqual(new Set(TABLE.map(([bucket]) => bucket)));
});

describe.each(TABLE)('%s (%d)', (bucket, status) => {
	test.each(['service', 'comfy'])('in the header x-%s-error-type', async (vendor) => {
		const error = await failureOf(answers.answering(refusal(status, bucket, { vendor })).model('lab/open'));
		expect(error).toBeInstanceOf(ApiError);
		expect(error).toMatchObject({
			interface: 'router',
			code: bucket,
			status,
			message: `In the words of the router: ${bucket}`,
			requestId: 'req-1',
			details: undefined,
		});
	});

	test('of a run is told, or kept as the cause of an unknown outcome', async () => {
		const error = await answers.failure(refusal(status, bucket));
		const told = error instanceof UnknownOutcomeError ? error.cause : error;
		expect(told).toMatchObject({ code: bucket, status, requestId: 'req-1' });
		expect(error instanceof UnknownOutcomeError).toBe(status >= 500);
	});

	test('counts by the header alone, whatever the body says', async () => {
		const body = { detail: 'Words', error_type: 'another_word' };
		await expect(answers.failure(refusal(status, bucket, { body }), (router) => router.model('lab/open'))).resolves.toMatchObject({
			code: bucket,
		});
	});
});

test('a bucket of tomorrow counts as internal_error and is kept', async () => {
	await expect(answers.failure(refusal(418, 'bucket_of_tomorrow'))).resolves.toMatchObject({
		code: 'internal_error',
		status: 418,
		details: { error_type: 'bucket_of_tomorrow' },
	});
});
