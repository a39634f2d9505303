import type { RouterModel } from '../../../client';
import { failureOf } from '../support/bytes';
import { type Answer, json } from '../support/server';
import { useRouterAnswers } from './support/answering';

const answers = useRouterAnswers();

const entry = (id: string, charges: unknown = 'no') => ({
	id,
	provider: id.split('/')[0],
	model: id.split('/')[1],
	billing: { charges_on_policy_rejection: charges },
});
const page = (ids: string[], rest: object) =>
	json(200, { data: ids.map((id) => entry(id)), limit: 100, ...rest }, { 'x-service-request-id': 'req-list' });

async function all(models: AsyncIterable<RouterModel>): Promise<string[]> {
	const ids: string[] = [];
	for await (const { id } of models) ids.push(id);
	return ids;
}

describe('the list', () => {
	test('goes on while has_more says so, though a page is empty', async () => {
		const router = answers.answering(
			page(['a/b'], { has_more: true, next_cursor: 'x' }),
			page([], { has_more: true, next_cursor: 'y' }),
			page(['c/d'], { has_more: false }),
		);
		await expect(all(router.models())).resolves.toEqual(['a/b', 'c/d']);
	});

	test('ends when has_more is false, though a cursor is given', async () => {
		const router = answers.answering(page(['a/b'], { has_more: false, next_cursor: 'x' }));
		await expect(router.page()).resolves.toEqual({ request_id: 'req-list', limit: 100, models: [expect.objectContaining({ id: 'a/b' })] });
		await expect(all(router.models())).resolves.toEqual(['a/b']);
		expect(answers.calls()).toHaveLength(2);
	});

	test('gets its cursor back encoded', async () => {
		const cursor = 'a+b/c=d~e.f_g-h';
		await answers.answering(page([], { has_more: false })).page({ cursor, limit: 7 });
		expect(answers.calls()).toEqual(['GET /v2/models?cursor=a%2Bb%2Fc%3Dd%7Ee.f_g-h&limit=7']);
	});

	test.each([
		['has_more without a cursor', { data: [], has_more: true, limit: 1 }],
		['no has_more', { data: [], limit: 1 }],
		['no list', { has_more: false }],
	])('has no page in %s', async (_name, body) => {
		await expect(failureOf(answers.answering(json(200, body)).page())).resolves.toMatchObject({ facts: { reason: 'unexpected' } });
	});

	test.each<[string, Answer]>([
		['itself', page(['a/b'], { has_more: true, next_cursor: 'x' })],
		[
			'an earlier one',
			(request, response) =>
				void page(['a/b'], { has_more: true, next_cursor: request.url.includes('cursor=x') ? 'y' : 'x' })(request, response),
		],
	])('is not walked for ever when a page leads back to %s', async (_name, circle) => {
		await expect(failureOf(all(answers.answering(circle).models()))).resolves.toMatchObject({ facts: { reason: 'unexpected' } });
		expect(answers.calls().length).toBeLessThan(5);
	});
});

test.each([
	['yes', 'yes'],
	['no', 'no'],
	['unknown', 'unknown'],
	['sometimes', 'unknown'],
	[true, 'unknown'],
	[null, 'unknown'],
])('charges_on_policy_rejection %p is %s, and fields that are new to us are kept', async (word, told) => {
	const router = answers.answering(json(200, { ...entry('a/b', word), tomorrow: 1 }));
	await expect(router.model('a/b')).resolves.toMatchObject({
		charges_on_policy_rejection: told,
		tomorrow: 1,
		billing: { charges_on_policy_rejection: word },
	});
});
