import { randomUUID } from 'node:crypto';
import {
	type AssetMasks,
	type AssetStore,
	connect,
	type JobFeed,
	type ServerControl,
	type ServiceConnection,
	type WorkflowLibrary,
} from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { Contract } from '../contract';
import { failingGraph, quickGraph, slowGraph } from '../../client/support/graphs';
import {
	connected,
	everyKind,
	finished,
	libraryCalls,
	type MethodCalls,
	type MethodsOf,
	type OperationTable,
	newPicture,
	uncalledOfLibrary,
} from './operationTable';

type Method = MethodsOf<Omit<ServiceConnection, 'assets'> & { assets: Omit<AssetStore, 'records'> }>;

export const v1: OperationTable<Method> = {
	contracts: [new Contract('v1.yaml'), new Contract('library.yaml')],
	surfaces: ['hosted'],
	uncalled: {
		...uncalledOfLibrary,
		getUsers: 'an account has one user',
		getQueueSize: 'the queue itself is read, which tells more',
		changeHistory: 'only the owner may delete finished jobs, in the editor',
		getNodeDefinition: 'all definitions come in one answer, which the service keeps ready',
	},
	calls,
};

async function calls(sandbox: Sandbox): Promise<MethodCalls<Method>> {
	const connection = connect({ interface: 'v1', baseUrl: sandbox.urls.hosted, token: sandbox.keys.apiKey });
	const { jobs, assets } = connection;
	const { control, feed, library } = connection as { control: ServerControl; feed: JobFeed; library: WorkflowLibrary };
	const job = await finished(jobs, quickGraph(1));
	const [running, streamed] = [await jobs.submit({ graph: slowGraph(1_000, 20) }), await jobs.submit({ graph: slowGraph(50, 20) })];
	const { asset } = await assets.upload(await newPicture(), { filePath: 'original.png' });
	const original = { filename: String(asset.name), subfolder: '', type: 'input' };
	sandbox.saveWorkflow('saved.json', {}, { surface: 'hosted' });
	return {
		calls: {
			'jobs.submit': async () => {
				const submission = { graph: quickGraph(2), extraData: { api_key_service_org: sandbox.keys.partnerKey } };
				const submissionId = randomUUID();
				await jobs.submit(submission, { submissionId });
				// Without a key, it is looked for before it is sent once more.
				await jobs.submit(submission, { submissionId, earlier: { answerLost: true, firstSentAt: Date.now() } });
				sandbox.inject({ on: 'POST /api/prompt', answer: { status: 200, json: { prompt_id: randomUUID(), error: 'No' } } });
				await expect(jobs.submit({ graph: quickGraph(3) })).rejects.toThrow('No');
			},
			'jobs.get': async () => {
				for (const graph of [everyKind(), failingGraph()]) await finished(jobs, graph);
			},
			'jobs.workflow': async () => {
				await jobs.workflow(job.job_id);
				await expect(jobs.workflow(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
			},
			'jobs.cancel': async () => {
				for (const { job_id } of [running, job]) await jobs.cancel(job_id);
			},
			'jobs.events': async () => {
				for await (const event of jobs.events(streamed)) void event;
			},
			'jobs.list': async () => await jobs.list({ limit: 1, cursor: (await jobs.list({ limit: 1 })).nextCursor }),
			'assets.upload': async () => await assets.upload(await newPicture(), { filePath: 'more.png', use: 'temp', overwrite: true }),
			'assets.masks.upload': async () => await (assets.masks as AssetMasks).upload(await newPicture(), { filePath: 'mask.png', original }),
			'assets.reference': async () => await Promise.resolve(assets.reference(asset)),
			'assets.download': async () => {
				for await (const chunk of (await assets.download({ url: job.outputs[0]?.url ?? '' })).bytes) void chunk;
			},
			'control.queue': async () => await control.queue(),
			'control.deleteFromQueue': async () => await control.deleteFromQueue([job.job_id]),
			'control.interrupt': async () => await control.interrupt(),
			'control.nodeDefinitions': async () => await control.nodeDefinitions({ classes: ['SaveImage'] }),
			'feed.follow': async () => await connected(feed),
			'feed.setTotal': async () => await Promise.resolve(feed.setTotal(job.job_id, 2)),
			...libraryCalls(library),
			verifyAccess: async () => await connection.verifyAccess(),
			close: async () => await connection.close(),
		},
		close: async () => await connection.close(),
	};
}
