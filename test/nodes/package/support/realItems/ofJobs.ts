import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../../../../../sandbox';
import { assetRun, downloadRun, uploadRun, workflowRun } from '../../../support/files';
import { runRun } from '../../../support/run';
import { submitRun, waitRun } from '../../../support/submit';
import type { Credential } from '../../../support/engine';
import type { Way } from '../../../support/flavours';
import {
	everyInterface,
	finishTwo,
	forEach,
	itemsOf,
	over,
	type RealItems,
	twoGraphs,
	twoPictures,
	whileJobsWait,
	withControl,
} from './produce';

/** v2 without v1: it has assets with an ID and a hash. */
const withAssets: Way[] = ['hosted', 'self_hosted'];

/** The items of the nodes that run one job, and of Comfy Upload Asset. */
export function itemsOfJobs(sandbox: Sandbox): RealItems {
	const everywhere = async (items: (credential: Credential) => Promise<IDataObject[]>) => [
		...(await over(sandbox, everyInterface, items)),
		...(await withoutHashes(async () => await over(sandbox, withAssets, items))),
	];
	const withoutHashes = async (items: () => Promise<IDataObject[]>) => {
		sandbox.configure({ hashes: 'null' });
		return await items();
	};
	const ofAssets = async (operation: 'createFromHash' | 'get' | 'delete', parameters: IDataObject) =>
		await over(sandbox, withAssets, async (credential) => {
			const assets = await itemsOf(uploadRun(credential, await twoPictures()));
			return await itemsOf(assetRun(credential, operation, { items: assets.map((json) => ({ json })), parameters }));
		});
	return {
		comfyRunWorkflow: async () =>
			await everywhere(async (credential) => await forEach(twoGraphs(), async (graph) => await itemsOf(runRun(credential, graph)))),
		comfySubmitWorkflow: async () =>
			await everywhere(
				async (credential) =>
					await whileJobsWait(
						sandbox,
						credential,
						async () => await forEach(twoGraphs(), async (graph) => await itemsOf(submitRun(credential, graph))),
					),
			),
		comfyWaitForJob: async () =>
			await everywhere(async (credential) => await itemsOf(waitRun(credential, await finishTwo(sandbox, credential)))),
		comfyGetWorkflow: async () =>
			await everywhere(async (credential) => await itemsOf(workflowRun(credential, await finishTwo(sandbox, credential)))),
		comfyDownloadOutputs: async () =>
			await everywhere(async (credential) => await itemsOf(downloadRun(credential, await finishTwo(sandbox, credential)))),
		'comfyUploadAsset/upload': async () =>
			await everywhere(async (credential) => await itemsOf(uploadRun(credential, await twoPictures()))),
		'comfyUploadAsset/uploadMask': async () =>
			await over(sandbox, withControl, async (credential) => {
				const images = await itemsOf(uploadRun(credential, await twoPictures()));
				const masks = (await twoPictures()).map((item, index) => ({
					...item,
					json: { reference: images[index]?.reference } as IDataObject,
				}));
				return await itemsOf(assetRun(credential, 'uploadMask', { items: masks, parameters: { binaryPropertyName: 'data' } }));
			}),
		'comfyUploadAsset/createFromHash': async () => await ofAssets('createFromHash', { hash: '={{ $json.hash }}' }),
		'comfyUploadAsset/get': async () => [
			...(await ofAssets('get', { assetId: '={{ $json.id }}' })),
			...(await withoutHashes(async () => await ofAssets('get', { assetId: '={{ $json.id }}' }))),
		],
		'comfyUploadAsset/delete': async () => await ofAssets('delete', { assetId: '={{ $json.id }}' }),
	};
}
