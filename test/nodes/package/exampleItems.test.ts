import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readPage } from '../../../scripts/docs/nodePages';
import { textToImage } from '../../support/stockGraphs';
import { type NodeResult, runNode } from '../support/engine';
import { credentialFor } from '../support/flavours';
import { downloadRun, fileItem, uploadRun, workflowRun } from '../support/files';
import { solidPicture } from '../support/pictures';
import { manageRun } from '../support/manage';
import { jsonRun, routerCredential } from '../support/router';
import { runRun } from '../support/run';
import { submitRun, waitRun } from '../support/submit';
import { deliver, useScene } from '../trigger/support/scene';

const scene = useScene();
const own = () => credentialFor(scene.sandbox, 'bare_engine');

/** The item that the page shows, files as names of fields. @param index of the item, if the page shows several. */
function shown(nodeName: string, index = 0): { json: IDataObject; binary?: IDataObject } {
	const [, text] = [...readPage(nodeName).matchAll(/```json\n([\s\S]*?)```/g)][index] ?? [];
	if (text === undefined) throw new Error(`The page of ${nodeName} shows no item`);
	return JSON.parse(text) as { json: IDataObject; binary?: IDataObject };
}

/** What kind of value stands where: of an array its first entry; null tells nothing. */
function shapeOf(value: unknown): unknown {
	if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
	if (typeof value !== 'object' || value === null) return typeof value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));
}

const withoutBytes = ({ json, binary }: Pick<INodeExecutionData, 'json' | 'binary'>) => ({
	json,
	...(binary && {
		binary: Object.fromEntries(
			Object.entries(binary).map(([field, { fileName, mimeType, fileSize, fileExtension, fileType }]) => [
				field,
				{ fileName, mimeType, fileExtension, fileType, fileSize },
			]),
		),
	}),
});

const firstOf = ({ outputs, error }: NodeResult): INodeExecutionData => {
	const [item] = outputs[0] ?? [];
	if (item === undefined) throw error ?? new Error('No item');
	return item;
};

const jobId = async (): Promise<string> => String(firstOf(await runNode(submitRun(own(), textToImage))).json.job_id);
const doneJobId = async (): Promise<string> => {
	const id = await jobId();
	await runNode(waitRun(own(), [id]));
	return id;
};

const real: Record<string, () => Promise<Pick<INodeExecutionData, 'json' | 'binary'>>> = {
	comfyRunWorkflow: async () => firstOf(await runNode(runRun(own(), textToImage, { parameters: { options: { seedMode: 'random' } } }))),
	comfyUploadAsset: async () => firstOf(await runNode(uploadRun(own(), [fileItem(await solidPicture('red'))]))),
	comfySubmitWorkflow: async () => firstOf(await runNode(submitRun(own(), textToImage))),
	comfyWaitForJob: async () => firstOf(await runNode(waitRun(own(), [await jobId()]))),
	comfyGetWorkflow: async () => {
		const { json } = firstOf(await runNode(workflowRun(own(), [await doneJobId()], { outputAs: 'json' })));
		// One node of it stands for all.
		return { json: { ...json, workflow: { 9: (json.workflow as IDataObject)['9'] as IDataObject } } };
	},
	comfyDownloadOutputs: async () => firstOf(await runNode(downloadRun(own(), [await doneJobId()]))),
	comfyManageJobs: async () =>
		firstOf(await runNode(manageRun(own(), 'job:get', { parameters: { jobId: { __rl: true, mode: 'id', value: await doneJobId() } } }))),
	comfyRunRouterModel: async () =>
		firstOf(
			await runNode(
				jsonRun(routerCredential(scene.sandbox), 'lab/open', { prompt: 'a red fox' }, { parameters: { options: { maxCostUsd: 1 } } }),
			),
		),
	comfyProgressTrigger: async () => {
		const trigger = await scene.listen(deliver('onlyWhenFinished', { source: 'engine' }), 'self_hosted');
		await scene.submit(textToImage, 'self_hosted');
		await trigger.until(1);
		const [item] = trigger.items;
		if (item === undefined) throw new Error('Nothing was told');
		return item;
	},
};

it.each(Object.keys(real))('the page of %s shows a real item', async (nodeName) => {
	const item = withoutBytes(await (real[nodeName] as (typeof real)[string])());
	expect(shapeOf(shown(nodeName))).toEqual(shapeOf(item));
});

it('the page of comfyManageJobs shows real items of Get Log and of the operations of Server', async () => {
	scene.sandbox.configure({ engineDevice: 'cuda' });
	const engine = credentialFor(scene.sandbox, 'engine');
	const log = firstOf(
		await runNode(manageRun(engine, 'job:getLog', { parameters: { jobId: { __rl: true, mode: 'id', value: await doneJobId() } } })),
	);
	expect(shapeOf(shown('comfyManageJobs', 1))).toEqual(shapeOf(withoutBytes(log)));
	const free = firstOf(await runNode(manageRun(own(), 'server:freeMemory')));
	expect(shapeOf(shown('comfyManageJobs', 2))).toEqual(shapeOf(withoutBytes(free)));
	const model = firstOf(await runNode(manageRun(own(), 'server:getAllModels')));
	expect(shapeOf(shown('comfyManageJobs', 3))).toEqual(shapeOf(withoutBytes(model)));
});
