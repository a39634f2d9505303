import { randomUUID } from 'node:crypto';
import { connectRouter, type RouterConnection } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { Contract } from '../contract';
import type { MethodCalls, MethodsOf, OperationTable } from './operationTable';

type Method = MethodsOf<RouterConnection>;

export const router: OperationTable<Method> = {
	contracts: [new Contract('router.yaml')],
	surfaces: ['router'],
	uncalled: {},
	calls,
};

const QUERY = { model_provider: 'lab', strict_mode: 'true', reject_unknown_fields: 'true' };

async function calls({ urls, keys }: Sandbox): Promise<MethodCalls<Method>> {
	// Else the first call of all would look for the prefix.
	const credential = { kind: 'apiKey', key: keys.apiKey } as const;
	const connection = connectRouter({ baseUrl: urls.router, credential, prefix: '/v2', limits: { pauseScale: 0.01 } });
	const { router: models } = connection;
	const model = 'lab/slow';
	const options = () => ({ idempotencyKey: randomUUID(), maxWaitMs: 15_000 });
	let id = '';
	await models.runQueued(model, { ms: 1 }, { ...options(), onSubmitted: (request) => void (id = request.id) });
	return {
		calls: {
			'router.page': async () => {
				const { nextCursor } = await models.page({ limit: 1 });
				await models.page({ limit: 1, cursor: nextCursor });
			},
			'router.models': async () => {
				for await (const entry of models.models()) void entry;
			},
			'router.model': async () => await models.model(model),
			'router.inputSchema': async () => {
				await models.inputSchema(model);
				await models.inputSchema(model);
			},
			'router.estimate': async () => {
				await models.estimate(model, { ms: 1 });
				await models.estimate(model, { ms: 1 }, { modelProvider: 'lab' });
			},
			'router.run': async () => await models.run(model, { ms: 1 }, { ...options(), query: { ...QUERY, fallback_provider: 'false' } }),
			'router.runQueued': async () => {
				await models.runQueued(model, { ms: 1 }, { ...options(), query: QUERY });
				const stop = new AbortController();
				const stopped = models.runQueued(model, { ms: 5_000 }, { ...options(), signal: stop.signal, onSubmitted: () => stop.abort() });
				await expect(stopped).rejects.toThrow();
			},
			'router.collect': async () => await models.collect({ model, id }, options()),
			'router.requestStatus': async () => await models.requestStatus({ model, id }),
			'router.requestResult': async () => await models.requestResult({ model, id }),
			'router.cancelRequest': async () => await models.cancelRequest({ model, id }),
			verifyAccess: async () => await connection.verifyAccess(),
			close: async () => await connection.close(),
		},
		close: async () => await connection.close(),
	};
}
