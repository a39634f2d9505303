/** All answers of the router match contract/router.yaml. */
import { sharedSandbox } from '../../nodes/support/sandbox';
import { contract, newKey, RouterCaller } from './caller';

const sandbox = sharedSandbox();

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
