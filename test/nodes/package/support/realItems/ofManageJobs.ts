import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../../../sandbox';
import { textToImage } from '../../../../support/stockGraphs';
import { type Credential, type NodeRun, runNode } from '../../../support/engine';
import { CONTINUE } from '../../../support/files';
import type { Way } from '../../../support/flavours';
import { failingGraph } from '../../../support/graphs';
import { manageRun } from '../../../support/manage';
import { byId } from '../../../support/router';
import { submitted, waitRun } from '../../../support/submit';
import { everyInterface, finishTwo, forEach, itemsOf, over, type RealItems, twoGraphs, whileJobsWait, withControl } from './produce';

/** It lacks two node classes, a model and a file. */
const lackingGraph = {
	...textToImage,
	'1': { class_type: 'LoadImage', inputs: { image: 'gone.png' } },
	'2': { class_type: 'PreviewImage', inputs: { images: ['1', 0] } },
	'4': { ...textToImage['4'], inputs: { ckpt_name: 'gone.safetensors' } },
	'10': { class_type: 'VHS_VideoCombine', inputs: { images: ['8', 0] } },
	'11': { class_type: 'AcmeMaker', inputs: { images: ['8', 0] } },
};

const ownServer: Way[] = ['self_hosted', 'bare_engine'];

/** The items of Comfy Manage Jobs and Queue. */
export function itemsOfManageJobs(sandbox: Sandbox): RealItems {
	type What = Parameters<typeof manageRun>[1];
	const manage = async (credential: Credential, what: What, parameters: IDataObject = {}, more: Partial<NodeRun> = {}) =>
		await itemsOf(manageRun(credential, what, { parameters, ...more }));
	const ofJob = async (credential: Credential, what: What, jobIds: string[]) =>
		await forEach(jobIds, async (id) => await manage(credential, what, { jobId: byId(id) }));
	const fail = async (credential: Credential): Promise<string> => {
		const id = await submitted(sandbox, failingGraph(), credential);
		await runNode(waitRun(credential, [id], CONTINUE));
		return id;
	};
	const ofWaiting = async (ways: Way[], what: What, parametersFor: (jobIds: string[]) => IDataObject = () => ({})) =>
		await over(
			sandbox,
			ways,
			async (credential) =>
				await whileJobsWait(sandbox, credential, async (...jobIds) => await manage(credential, what, parametersFor(jobIds))),
		);
	const ofServer = async (what: What) => await over(sandbox, ownServer, async (credential) => await manage(credential, what));

	return {
		'comfyManageJobs/job/get': async () =>
			await over(sandbox, everyInterface, async (credential) => [
				...(await ofJob(credential, 'job:get', [...(await finishTwo(sandbox, credential)), await fail(credential)])),
				...(await whileJobsWait(sandbox, credential, async (...jobIds) => await ofJob(credential, 'job:get', jobIds))),
			]),
		'comfyManageJobs/job/getAll': async () =>
			await over(sandbox, withControl, async (credential) => {
				await finishTwo(sandbox, credential);
				await fail(credential);
				return await whileJobsWait(sandbox, credential, async () => await manage(credential, 'job:getAll'));
			}),
		'comfyManageJobs/job/getLog': async () =>
			await over(
				sandbox,
				['deployment', ...ownServer],
				async (credential) => await ofJob(credential, 'job:getLog', [await fail(credential), await fail(credential)]),
			),
		'comfyManageJobs/job/cancel': async () =>
			await over(sandbox, everyInterface, async (credential) => [
				...(await ofJob(credential, 'job:cancel', await finishTwo(sandbox, credential))),
				...(await whileJobsWait(
					sandbox,
					credential,
					async (running, waiting) => await ofJob(credential, 'job:cancel', [waiting, running]),
				)),
			]),
		'comfyManageJobs/queue/get': async () => await ofWaiting(withControl, 'queue:get'),
		'comfyManageJobs/queue/delete': async () =>
			await ofWaiting(withControl, 'queue:delete', (jobIds) => ({ jobId: [...jobIds, 'unknown'].join(', ') })),
		'comfyManageJobs/queue/interrupt': async () => await ofWaiting(withControl, 'queue:interrupt'),
		'comfyManageJobs/nodeDefinition/getAll': async () =>
			await over(sandbox, withControl, async (credential) => await manage(credential, 'nodeDefinition:getAll')),
		'comfyManageJobs/server/clearHistory': async () =>
			await over(sandbox, ownServer, async (credential) => {
				const jobIds = [...(await finishTwo(sandbox, credential)), 'unknown'];
				return await manage(credential, 'server:clearHistory', { jobId: byId(jobIds.join(', ')) });
			}),
		'comfyManageJobs/server/freeMemory': async () =>
			await forEach(['cpu', 'cuda'] as const, async (engineDevice) => {
				sandbox.configure({ engineDevice });
				return await ofServer('server:freeMemory');
			}),
		'comfyManageJobs/server/getAllModels': async () => await ofServer('server:getAllModels'),
		'comfyManageJobs/server/getInfo': async () =>
			await forEach(['cpu', 'cuda'] as const, async (engineDevice) => {
				sandbox.configure({ engineDevice });
				return await ofServer('server:getInfo');
			}),
		'comfyManageJobs/workflow/check': async () => {
			const workflows = [...twoGraphs(), lackingGraph];
			const items = workflows.map((workflow) => ({ json: { workflow: JSON.stringify(workflow) } }));
			const parameters = { workflowSource: 'json', workflow: '={{ $json.workflow }}' };
			return await over(sandbox, everyInterface, async (credential) => await manage(credential, 'workflow:check', parameters, { items }));
		},
		'comfyManageJobs/workflow/getAll': async () => {
			for (const surface of ['engine', 'hosted'] as const)
				for (const path of ['foxes/red.app.json', 'plain.json']) sandbox.saveWorkflow(path, { nodes: [] }, { surface, modifiedAt: 1_000 });
			return await over(sandbox, withControl, async (credential) => await manage(credential, 'workflow:getAll'));
		},
	};
}
