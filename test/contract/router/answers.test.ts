/** Whatever the router answers has the shape that contract/router.yaml gives it. */
import { startSandbox, type Sandbox } from '../../../sandbox';
import { contract, newKey, RouterCaller } from './caller';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(async () => await sandbox.close());

test('the check finds wrong answers', () => {
	const problems = (operationId: string, status: number, json: unknown, headers: Record<string, string> = {}) =>
		contract.problemsOf(operationId, {
			status,
			headers: new Headers({ 'content-type': 'application/json', 'x-service-request-id': 'r', ...headers }),
			body: Buffer.from(JSON.stringify(json)),
		});
	const bucket = { 'x-service-error-type': 'invalid_input' };
	const entry = { id: 'a/b', provider: 'a', model: 'b', billing: { charges_on_policy_rejection: 'never heard' } };
	expect(problems('listModels', 200, { data: [entry], has_more: true, next_cursor: '+/a=', limit: 20 })).toEqual([]);
	expect(problems('listModels', 200, { data: [{ ...entry, id: 'A/b' }], has_more: true, next_cursor: 'a b', limit: 101 })).toHaveLength(3);
	expect(problems('getModel', 200, { ...entry, input_schema_url: 'http://127.0.0.1/a' })).toHaveLength(1);
	expect(problems('getModel', 404, { detail: 'x', error_type: 'model_not_found' })).toEqual(['header X-Service-Error-Type is missing']);
	expect(problems('runModel', 422, { detail: [{ loc: ['body', 0], msg: 'm', type: 'new_word', input: null }] }, bucket)).toEqual([]);
	expect(problems('runModel', 422, { detail: 'x', error_type: 'invalid_input' }, bucket)).toEqual(['/detail must be array']);
	expect(problems('runModel', 202, {})).toEqual(['status 202 is not documented']);
	expect(problems('getInputSchema', 200, { openapi: '3.1.0', paths: {} })).toEqual([
		'header ETag is missing',
		'header Cache-Control is missing',
	]);
	expect(problems('getRequestStatus', 200, { request_id: '5', status: 'NEW', queue_position: -1 })).toHaveLength(5);
});

describe.each(['v1', 'v2'] as const)('below /%s', (prefix) => {
	test('every documented success occurs', async () => {
		const router = new RouterCaller(sandbox, prefix);
		const model = 'lab/slow';
		await router.walk('100');
		await router.call('getModel', { model });
		const etag = (await router.call('getInputSchema', { model })).headers.get('etag') ?? '';
		await router.call('getInputSchema', { model, headers: { 'if-none-match': etag } });
		await router.run(model, { ms: 1 }, { idempotencyKey: newKey() });
		const [request, stopped] = [await router.queued(model, { ms: 50 }), await router.queued(model, { ms: 5000 })];
		// Of the one that takes long: the other may be done already.
		await router.call('getRequestResult', { model, request: stopped });
		await router.reaches(model, request, 'COMPLETED');
		await router.call('getRequestResult', { model, request });
		await router.call('cancelRequest', { model, request: stopped });
		for (const { id, statuses } of contract.operations.values()) {
			expect([id, [...(router.seen.get(id) ?? [])]]).toEqual([id, expect.arrayContaining(statuses.filter((status) => status < 400))]);
		}
	});
});
