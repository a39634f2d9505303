/** Flows that begin with a call from outside, which orders a picture of one color, and whose last node is `FILE`. */
import sharp from 'sharp';
import { type Execution, itemsOf, type SavedWorkflow, type WorkflowDocument, type WorkflowNode } from '../../../scripts/n8nHost/documents';
import type { N8nRest } from '../../../scripts/n8nHost/rest';
import { callWebhook } from './callWebhook';
import { until } from './until';
import { comfy, line, node, TRIGGER } from './workflows';

/** Where every workflow ends: what comes here is delivered. */
export const FILE = 'File';
export const file = node(FILE, 'n8n-nodes-base.noOp', 1, {});

export const ORDER = '$json.body.order';
export const colorOf = (order: number): number => 0x10_00_00 + 16 * order;

export const webhook = (tag: string): WorkflowNode => ({
	...node(TRIGGER, 'n8n-nodes-base.webhook', 2.1, { httpMethod: 'POST', path: tag, responseMode: 'onReceived', options: {} }),
	webhookId: tag,
});

/** False until n8n knows its address. */
export const call = async (url: string, tag: string, order: number): Promise<boolean> => await callWebhook(url, tag, { order });

/** Calls the webhook of an activated workflow as soon as n8n knows its address. @returns the id of the execution. */
export async function startByCall(rest: N8nRest, { id, name }: Pick<SavedWorkflow, 'id' | 'name'>, order = 0): Promise<string> {
	await until(`the webhook of ${name}`, async () => (await call(rest.url, name, order)) || undefined);
	return await until(`an execution of ${name}`, async () => (await rest.executions(id))[0]?.id);
}

export const colorIn = async (file: Buffer): Promise<number> => (await sharp(file).removeAlpha().raw().toBuffer()).readUIntBE(0, 3);

/** Returns the colors of the pictures that a node put out. An item without a picture has none. */
export async function deliveredColors(rest: N8nRest, execution: Execution, nodeName = FILE): Promise<Array<number | undefined>> {
	const pictures = itemsOf(execution, nodeName).map(({ binary }) => binary?.data?.id);
	return await Promise.all(pictures.map(async (id) => (id ? await colorIn(await rest.binary(id)) : undefined)));
}

/** A picture of one color; where its way there is guarded, not before the service opens its gate. */
export const picture = (tag: string, isGuarded: boolean) => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
	'2': { class_type: 'SandboxGate', inputs: { image: ['1', 0], guarded: isGuarded ? 1 : 0, seed: 1 } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: tag } },
});

export const row = (name: string, value: string) => ({ input: { __rl: true, mode: 'name', value: name }, value });

export const coloredBy = (order: string): string => `={{ ${colorOf(0)} + ${colorOf(1) - colorOf(0)} * ${order} }}`;

export const ordered = (tag: string, isGuarded: boolean, order = ORDER) => ({
	workflow: JSON.stringify(picture(tag, isGuarded)),
	inputs: { values: [row('1.color', coloredBy(order))] },
});

/** Makes a node for one service. */
export type Make = (type: Parameters<typeof comfy>[0], parameters?: WorkflowNode['parameters']) => WorkflowNode;

export const three = (make: Make, tag: string, isGuarded: boolean): WorkflowDocument =>
	line(tag, [
		webhook(tag),
		make('comfySubmitWorkflow', ordered(tag, isGuarded)),
		make('comfyWaitForJob'),
		make('comfyDownloadOutputs'),
		file,
	]);

export const one = (make: Make, tag: string, isGuarded: boolean, more: WorkflowNode['parameters'] = {}): WorkflowDocument =>
	line(tag, [webhook(tag), make('comfyRunWorkflow', { ...ordered(tag, isGuarded), ...more }), file]);

export const to = (name: string) => [{ node: name, type: 'main', index: 0 }];

/** As in examples/long-job.json: what runs longer than Max Wait rests in n8n's own Wait node. */
export function stillRunning(tag: string, restSeconds: number, maxWaitMinutes = 0.01): WorkflowDocument {
	const nodes = [
		webhook(tag),
		comfy('comfyRunWorkflow', { ...ordered(tag, true), options: { maxWaitMinutes } }),
		{ ...node('Rest', 'n8n-nodes-base.wait', 1.1, { amount: restSeconds, unit: 'seconds' }), webhookId: `${tag}-rest` },
		comfy('comfyWaitForJob'),
		comfy('comfyDownloadOutputs'),
		file,
	];
	const connections = {
		[TRIGGER]: { main: [to('comfyRunWorkflow')] },
		comfyRunWorkflow: { main: [to(FILE), to('Rest')] },
		Rest: { main: [to('comfyWaitForJob')] },
		comfyWaitForJob: { main: [to('comfyDownloadOutputs'), to('Rest')] },
		comfyDownloadOutputs: { main: [to(FILE)] },
	};
	return { name: tag, nodes, connections };
}
