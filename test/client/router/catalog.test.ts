import type { RouterModel } from '../../../client';
import { failureOf } from '../support/bytes';
import { type Answer, json } from '../support/server';
import { useRouterAnswers } from './support/answering';
import { useRouterSandbox } from './support/sandbox';

const harness = useRouterSandbox();
const answers = useRouterAnswers();

const LIST = 'GET /v2/models';
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
	test('is walked to its end through short and empty pages', async () => {
		const ids = await all(harness.connect().router.models());
		expect(ids.length).toBeGreaterThan(200);
		expect(new Set(ids).size).toBe(ids.length);
		expect(harness.sandbox.requests(LIST).length).toBeGreaterThan(3);
	});

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

	test('refuses a cursor that is not good, and does not start again', async () => {
		const { router } = harness.connect();
		await expect(router.page({ cursor: 'nonsense' })).rejects.toMatchObject({
			interface: 'router',
			code: 'invalid_input',
			status: 400,
			requestId: expect.any(String),
		});
		const { nextCursor = '' } = await router.page();
		harness.sandbox.advanceClock(2 * 60 * 60 * 1000);
		await expect(router.page({ cursor: nextCursor })).rejects.toMatchObject({ code: 'invalid_input' });
		expect(harness.sandbox.requests(LIST)).toHaveLength(3);
	});

	test.each([
		['above 100 is served as 100', 1000, 100],
		['of zero is served as the default', 0, 20],
		['below zero is served as the default', -5, 20],
		['in between is served as it is', 33, 33],
	])('a limit %s', async (_name, limit, served) => {
		await expect(harness.connect().router.page({ limit })).resolves.toMatchObject({ limit: served, request_id: expect.any(String) });
	});

	test.each([
		['has_more without a cursor', { data: [], has_more: true, limit: 1 }],
		['no has_more', { data: [], limit: 1 }],
		['no list', { has_more: false }],
	])('%s is no page', async (_name, body) => {
		await expect(failureOf(answers.answering(json(200, body)).page())).resolves.toMatchObject({ facts: { reason: 'unexpected' } });
	});

	test('that leads back to an earlier one is not walked for ever', async () => {
		const circle: Answer = (request, response) =>
			void page(['a/b'], { has_more: true, next_cursor: request.url?.includes('cursor=x') ? 'y' : 'x' })(request, response);
		const router = answers.answering(circle);
		const walk = async () => {
			const found: string[] = [];
			for await (const { id } of router.models()) if (found.push(id) > 20) return found;
			return found;
		};
		await expect(failureOf(walk())).resolves.toMatchObject({ facts: { reason: 'unexpected' } });
	});

	test('that leads to itself is not walked for ever', async () => {
		const router = answers.answering(page(['a/b'], { has_more: true, next_cursor: 'x' }));
		await expect(failureOf(all(router.models()))).resolves.toMatchObject({ facts: { reason: 'unexpected' } });
	});
});

test.each([
	['yes', 'yes'],
	['no', 'no'],
	['unknown', 'unknown'],
	['sometimes', 'unknown'],
	[true, 'unknown'],
	[null, 'unknown'],
])('charges_on_policy_rejection %p is %s', async (word, told) => {
	const router = answers.answering(json(200, { data: [entry('a/b', word)], has_more: false, limit: 1 }));
	const { models } = await router.page();
	expect(models[0]?.charges_on_policy_rejection).toBe(told);
});

describe('one model', () => {
	test('keeps fields that are new to us', async () => {
		const router = answers.answering(json(200, { ...entry('a/b'), tomorrow: 1 }));
		await expect(router.model('a/b')).resolves.toMatchObject({ tomorrow: 1, billing: { charges_on_policy_rejection: 'no' } });
	});
});
