import { randomUUID } from 'node:crypto';
import { type AssetStore, connect, type ServiceConnection } from '../../../client';
import type { Sandbox } from '../../../sandbox';
import { quickGraph, slowGraph } from '../../client/support/graphs';
import { Contract } from '../contract';
import {
	comfyCalls,
	type ComfyConnection,
	finished,
	type MethodCalls,
	type MethodsOf,
	type OperationTable,
	newPicture,
	uncalledOfLibrary,
} from './operationTable';

type Method = Exclude<MethodsOf<Omit<ServiceConnection, 'assets'> & { assets: Omit<AssetStore, 'records' | 'conversions'> }>, 'jobs.log'>;

export const v1: OperationTable<Method> = {
	contracts: [new Contract('v1.yaml'), new Contract('library.yaml')],
	surfaces: ['hosted'],
	uncalled: {
		...uncalledOfLibrary,
		getUsers: 'an account has one user',
		getBlueprint: 'the sandbox has no blueprints of an account',
		getQueueSize: 'the queue itself is read, which tells more',
		changeHistory: 'only the owner may delete finished jobs, in the editor',
		getNodeDefinition: 'all definitions come in one answer, which the service keeps ready',
	},
	calls,
};

async function calls(sandbox: Sandbox): Promise<MethodCalls<Method>> {
	const connection = connect({ interface: 'v1', baseUrl: sandbox.urls.hosted, token: sandbox.keys.apiKey });
	const { jobs, assets } = connection;
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
			...comfyCalls(connection as ComfyConnection, { sandbox, job, asset, original }),
		},
		close: async () => await connection.close(),
	};
}
