import { randomUUID } from 'node:crypto';
import { type AssetStore, connect, derivedId, type EngineConnection } from '../../../client';
import type { Behaviour, Sandbox } from '../../../sandbox';
import { quickGraph, slowGraph } from '../../client/support/graphs';
import { until } from '../../support/until';
import { Contract } from '../contract';
import {
	comfyCalls,
	type ComfyConnection,
	finished,
	madeOf,
	type MethodCalls,
	type MethodsOf,
	type OperationTable,
	newPicture,
	uncalledOfLibrary,
	uploadOf,
} from './operationTable';

type Method = MethodsOf<Omit<EngineConnection, 'assets' | 'members'> & { assets: Omit<AssetStore, 'records'> }>;

export const engine: OperationTable<Method> = {
	contracts: [new Contract('engine.yaml'), new Contract('library.yaml')],
	surfaces: ['engine'],
	uncalled: {
		...uncalledOfLibrary,
		listEmbeddings: 'embeddings are named in texts, which are not parsed',
	},
	calls,
};

/** With and without routes for single jobs. An older engine chooses ids itself and does not know its version. */
const AGES: ReadonlyArray<Partial<Behaviour>> = [
	{ engineJobRoutes: true, enginePromptIds: 'asked_for' },
	{ engineJobRoutes: false, enginePromptIds: 'own' },
];

async function calls(sandbox: Sandbox): Promise<MethodCalls<Method>> {
	const open = () =>
		connect({ interface: 'engine', baseUrl: sandbox.urls.engine, authorization: 'Basic b3BlbjpzZXNhbWU=' }) as EngineConnection;
	const given = open();
	const job = await finished(given.jobs, quickGraph(1));
	const { asset } = await given.assets.upload(await newPicture(), { filePath: 'folder/original.png' });
	sandbox.saveWorkflow('saved.json', {});
	const stored = { sandbox, job, asset, original: { filename: 'original.png', subfolder: 'folder', type: 'input' } };
	const common = comfyCalls(given as ComfyConnection, stored);
	await given.close();

	/** The method of a new connection, of engines of each age. */
	const call = (work: (connection: EngineConnection) => Promise<unknown>) => async () => {
		for (const age of AGES) {
			sandbox.configure(age);
			const connection = open();
			await work(connection);
			await connection.close();
		}
	};
	const started = async (steps: number) => {
		const body = JSON.stringify({ prompt: slowGraph(steps, 20) });
		const answer = await fetch(`${sandbox.urls.engine}/prompt`, { method: 'POST', body });
		return ((await answer.json()) as { prompt_id: string }).prompt_id;
	};

	const comfy = Object.keys(common).map((name) => [
		name,
		call(async (connection) => await comfyCalls(connection as ComfyConnection, stored)[name as keyof typeof common]()),
	]);

	return {
		calls: {
			...(Object.fromEntries(comfy) as typeof common),
			'jobs.submit': call(async ({ jobs }) => {
				const key = { idempotencyKey: derivedId(randomUUID()), keyIsOurs: true };
				const submission = { graph: quickGraph(2), extraData: { api_key_comfy_org: 'key' }, madeBy: madeOf('engine') };
				await jobs.submit(submission, key);
				await jobs.submit(submission, { ...key, earlier: { answerLost: true } });
				await jobs.submit(submission, { idempotencyKey: derivedId(randomUUID()), earlier: { lostRecord: { since: Date.now() - 1_000 } } });
			}),
			'jobs.findEarlier': call(async ({ jobs }) => {
				const key = { idempotencyKey: derivedId(randomUUID()), keyIsOurs: true };
				const submission = { graph: quickGraph(3) };
				await jobs.findEarlier(submission, { ...key, earlier: { answerLost: true } });
				await jobs.findEarlier(submission, { ...key, earlier: { lostRecord: { since: Date.now() - 1_000 } } });
			}),
			'jobs.workflow': call(async ({ jobs }) => await jobs.workflow(job.job_id)),
			'jobs.log': call(async ({ jobs }) => await jobs.log?.(job)),
			'jobs.cancel': call(async ({ jobs }) => {
				const [running, waiting] = [await started(1_000), await started(1_000)];
				await until(() => sandbox.job(running)?.status === 'running');
				await jobs.cancel(waiting);
				await jobs.cancel(running);
				// Jobs of this connection that are canceled at the same time share a request.
				const own = [await jobs.submit({ graph: slowGraph(1_000, 20) }), await jobs.submit({ graph: slowGraph(1_000, 20) })];
				await Promise.all([...own, own[0]!].map(async (one) => await jobs.cancel(one)));
			}),
			'jobs.events': call(async ({ jobs }) => {
				for (const job_id of [await started(5), job.job_id]) for await (const event of jobs.events({ ...job, job_id })) void event;
			}),
			'jobs.list': call(async ({ jobs }) => {
				await jobs.list({ limit: 1, cursor: (await jobs.list({ limit: 1 })).nextCursor });
				await jobs.list({ limit: 1, withMadeBy: true, wantedStatuses: ['succeeded', 'running'] });
			}),
			'assets.conversions.download': call(async ({ assets }) => {
				const url = job.outputs[0]?.url ?? '';
				for (const name of ['webp', 'jpeg'] as const) {
					const download = await assets.conversions?.download(url, { name, quality: 90 });
					for await (const chunk of download?.bytes ?? []) void chunk;
				}
				const { asset: text } = await assets.upload(uploadOf('no image'), { filePath: 'text.png' });
				const view = `${sandbox.urls.engine}/api/view?type=input&filename=${String(text.name)}`;
				await expect(assets.conversions?.download(view, { name: 'webp', quality: 90 })).resolves.toBeUndefined();
			}),
			'maintenance.info': call(async ({ maintenance }) => await maintenance.info()),
			'maintenance.freeMemory': call(async ({ maintenance }) => await maintenance.freeMemory({ caches: true })),
			'maintenance.modelFolders': call(async ({ maintenance }) => await maintenance.modelFolders()),
			'maintenance.models': call(async ({ maintenance }) => {
				for (const engineModelDetails of ['there', 'absent'] as const) {
					sandbox.configure({ engineModelDetails });
					await maintenance.models('loras');
				}
			}),
			'maintenance.clearHistory': call(async ({ maintenance }) => await maintenance.clearHistory(['an unknown job'])),
			'maintenance.users': call(async ({ maintenance }) => await maintenance.users()),
			'records.queue': call(async ({ records }) => await records.queue()),
			'records.queueLength': call(async ({ records }) => await records.queueLength()),
			'records.recent': call(async ({ records }) => await records.recent(1)),
			'records.ended': call(async ({ records }) => await records.ended(job.job_id)),
			'library.list': call(async ({ library }) => {
				await library.list();
				// A server with several users answers 500 to a request without a user.
				sandbox.inject({ on: 'GET /api/userdata', answer: { status: 500 } });
				await library.list();
			}),
		},
		close: async () => await Promise.resolve(),
	};
}
