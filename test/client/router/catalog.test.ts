import { isRouterModelId, type RouterModel } from '../../../client';
import { failureOf } from '../support/bytes';
import { type Answer, json } from '../support/server';
import { finished, KEY, useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
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
	test('continues while has_more says so, also after an empty page, and asks for pages of 100 with each cursor encoded', async () => {
		const router = answers.answering(
			page(['a/b', 'a/c'], { has_more: true, next_cursor: 'x+y/z=' }),
			page([], { has_more: true, next_cursor: 'y' }),
			page(['c/d'], { has_more: false, next_cursor: 'z' }),
		);
		await expect(all(router.models())).resolves.toEqual(['a/b', 'a/c', 'c/d']);
		expect(answers.calls()).toEqual([
			'GET /v2/models?limit=100',
			'GET /v2/models?cursor=x%2By%2Fz%3D&limit=100',
			'GET /v2/models?cursor=y&limit=100',
		]);
	});

	test('has no next page if has_more is false, although a cursor is given', async () => {
		const router = answers.answering(page(['a/b'], { has_more: false, next_cursor: 'x' }));
		await expect(router.page()).resolves.toEqual({ request_id: 'req-list', limit: 100, models: [expect.objectContaining({ id: 'a/b' })] });
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
	])('ends with an error when a page leads back to %s', async (_name, circle) => {
		await expect(failureOf(all(answers.answering(circle).models()))).resolves.toMatchObject({ facts: { reason: 'unexpected' } });
		expect(answers.calls().length).toBeLessThan(5);
	});

	test('has pages of the size that the router allows', async () => {
		const { router } = harness.connect();
		for (const [limit, size] of [
			[undefined, 20],
			[101, 100],
			[-5, 20],
		] as const) {
			const { limit: returned, models } = await router.page({ limit });
			expect([limit, returned, models.length]).toEqual([limit, size, size]);
		}
	});
});

test.each([
	['yes', 'yes'],
	['no', 'no'],
	['sometimes', 'unknown'],
	[true, 'unknown'],
])('charges_on_policy_rejection %p is reported as %s, and unknown fields are kept', async (word, reported) => {
	const router = answers.answering(json(200, { ...entry('a/b', word), tomorrow: 1 }));
	await expect(router.model('a/b')).resolves.toMatchObject({
		charges_on_policy_rejection: reported,
		tomorrow: 1,
		billing: { charges_on_policy_rejection: word },
	});
});

describe('the id of a model', () => {
	const LONGEST = { provider: 'l'.repeat(64), model: 'm'.repeat(128) };

	test.each([
		['a provider of 65 characters', `l${LONGEST.provider}/m`],
		['a model of 129 characters', `l/m${LONGEST.model}`],
		['a capital', 'lab/Open'],
		['no provider', 'open'],
		['an empty model', 'lab/'],
		['three segments', 'lab/open/requests'],
		['two dots', 'lab/a..b'],
		['a query', 'lab/open?x=1'],
	])('with %s is rejected before anything is sent', async (_name, id) => {
		expect(isRouterModelId(id)).toBe(false);
		const router = answers.answering(finished());
		const options = { idempotencyKey: KEY, maxWaitMs: 1_000 };
		for (const call of [
			() => router.model(id),
			() => router.inputSchema(id),
			() => router.run(id, {}, options),
			() => router.runQueued(id, {}, options),
			() => router.requestStatus({ model: id, id: 'r' }),
		]) {
			const message = expect.stringContaining('<provider>/<model>') as string;
			await expect(call()).rejects.toMatchObject({ interface: 'router', code: 'invalid_input', message });
		}
		expect(answers.calls()).toHaveLength(0);
	});

	test.each(['a/b', 'fjord.ai/image-1.5', 'pebble_works/video-3_max', '0/0', `${LONGEST.provider}/${LONGEST.model}`])('may be %s', (id) =>
		expect(isRouterModelId(id)).toBe(true),
	);
});
