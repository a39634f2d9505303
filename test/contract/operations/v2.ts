import { randomUUID } from 'node:crypto';
import { type AssetRecords, type AssetStore, connect, type ServiceConnection } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { Contract } from '../contract';
import { failingGraph, quickGraph, slowGraph } from '../../client/support/graphs';
import { everyKind, finished, madeOf, type MethodCalls, type MethodsOf, type OperationTable, uploadOf } from './operationTable';

type V2Connection = Pick<ServiceConnection, 'jobs' | 'verifyAccess' | 'close'> & { assets: Omit<AssetStore, 'masks' | 'conversions'> };
type Method = MethodsOf<V2Connection>;

export const v2: OperationTable<Method> = {
	contracts: [new Contract('v2.yaml')],
	// The one lists its jobs and keeps labels, the other hands out content itself.
	surfaces: ['deployment', 'self_hosted'],
	uncalled: {},
	calls,
};

async function calls({ urls, keys }: Sandbox): Promise<MethodCalls<Method>> {
	const connection = connect({ interface: 'v2', baseUrl: urls.deployment, token: keys.apiKey, hostedUrl: urls.hosted });
	const { jobs, assets } = connection;
	const records = assets.records as AssetRecords;
	const proxy = connect({ interface: 'v2', baseUrl: urls.self_hosted });
	const [output] = (await finished(proxy.jobs, quickGraph(1))).outputs;
	const job = await finished(jobs, quickGraph(1));
	const [running, streamed] = [await jobs.submit({ graph: slowGraph(1_000, 20) }), await jobs.submit({ graph: slowGraph(5, 20) })];
	const { asset } = await assets.upload(uploadOf('asset'), { filePath: 'input/asset.png' });
	const [assetId, hash] = [asset.id ?? '', asset.hash ?? ''];
	return {
		calls: {
			'jobs.submit': async () => {
				const submission = { graph: quickGraph(2), extraData: { api_key_service_org: keys.partnerKey }, madeBy: madeOf('v2') };
				const key = { idempotencyKey: randomUUID(), keyIsOurs: true };
				await jobs.submit(submission, key);
				// Its key is in use by now, so that its job is looked for.
				await jobs.submit(submission, { ...key, earlier: { answerLost: true } });
			},
			'jobs.get': async () => {
				for (const one of [jobs, proxy.jobs]) for (const graph of [everyKind(), failingGraph()]) await finished(one, graph);
				await jobs.get(job.job_id);
			},
			'jobs.workflow': async () => await jobs.workflow(job.job_id),
			'jobs.log': async () => {
				for (const one of [job, running]) await jobs.log?.(one);
			},
			'jobs.cancel': async () => await jobs.cancel(running.job_id),
			'jobs.events': async () => {
				for await (const event of jobs.events(streamed)) void event;
			},
			'jobs.list': async () => {
				const { nextCursor } = await jobs.list({ limit: 1, statuses: ['succeeded', 'failed'], madeInWorkflow: 'flow' });
				await jobs.list({ limit: 1, cursor: nextCursor ?? (await jobs.list({ limit: 1 })).nextCursor });
			},
			'assets.upload': async () => {
				const options = { filePath: 'input/more.png', tags: ['one', 'two'], expiresInSeconds: 600 };
				await assets.upload(uploadOf('more'), options);
				await assets.upload(uploadOf('more'), { ...options, skipIfStored: true });
				await assets.upload(uploadOf('still more'), { ...options, skipIfStored: true });
			},
			'assets.records.fromHash': async () =>
				await records.fromHash(hash, { filePath: 'input/again.png', tags: ['one'], expiresInSeconds: 600 }),
			'assets.records.has': async () => await records.has(hash),
			'assets.records.get': async () => await records.get(assetId),
			'assets.reference': async () => await Promise.resolve(assets.reference(asset)),
			'assets.download': async () => {
				for await (const chunk of (await proxy.assets.download({ url: output?.url ?? '' })).bytes) void chunk;
			},
			'assets.records.delete': async () => await records.delete(assetId),
			verifyAccess: async () => await connection.verifyAccess(),
			close: async () => await connection.close(),
		},
		close: async () => void (await Promise.all([connection.close(), proxy.close()])),
	};
}
