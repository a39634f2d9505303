import { randomUUID } from 'node:crypto';
import {
	type Execution,
	importWorkflow,
	type SavedCredential,
	type SavedWorkflow,
	type WorkflowDocument,
	type WorkflowNode,
} from '../../../scripts/n8nHost/documents';
import type { N8nRest } from '../../../scripts/n8nHost/rest';
import { callWebhook } from './callWebhook';
import { until } from './until';
import { comfy, line, node } from './workflows';

/** A picture of one color, after so many seconds; one that is held, once the service opens its gate. */
const picture = (seconds: number, isHeld: boolean) => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: seconds * 10, step_ms: 100, seed: 1 } },
	'3': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'order' } },
	'4': { class_type: 'SandboxGate', inputs: { image: ['2', 0], guarded: isHeld ? 1 : 0 } },
});

/** What orders go through, behind the node that takes them. @param ordered what a node that submits is given. */
export type Way = (order: WorkflowNode, ordered: WorkflowNode['parameters'], make: typeof comfy) => WorkflowDocument;

/** @param between what stands between Submit and Wait. */
export const inThreeNodes =
	(...between: WorkflowNode[]): Way =>
	(order, ordered, make) => {
		const jobId = { __rl: true, mode: 'id', value: "={{ $('comfySubmitWorkflow').item.json.job_id }}" };
		const after = [make('comfyWaitForJob', { jobId }), make('comfyDownloadOutputs')];
		return line('in three nodes', [order, make('comfySubmitWorkflow', ordered), ...between, ...after]);
	};

interface Flow {
	seconds?: number;
	/** Its jobs last until the service opens its gate. */
	isHeld?: boolean;
	way?: Way;
	/** Makes a node; one of the hosted account's unless said otherwise. */
	make?: typeof comfy;
	settings?: WorkflowDocument['settings'];
	credentials: SavedCredential[];
}

let color = 0x10_00_00;

/** A published workflow. A call of its webhook makes a picture of the ordered color. */
export interface Shop {
	workflow: SavedWorkflow;
	/** Returns the color, once n8n has taken the order. No two orders are the same. */
	order(): Promise<number>;
	/** Of all orders, oldest first. */
	executions(): Promise<Array<Pick<Execution, 'id' | 'status' | 'mode'>>>;
}

export async function openShop(
	rest: N8nRest,
	{ seconds = 1, isHeld = false, way = inThreeNodes(), make = comfy, settings, credentials }: Flow,
): Promise<Shop> {
	const path = randomUUID();
	const order = {
		...node('Order', 'n8n-nodes-base.webhook', 2.1, { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} }),
		webhookId: path,
	};
	const row = { input: { __rl: true, mode: 'name', value: '1.color' }, value: '={{ $json.body.color }}' };
	const document = way(order, { workflow: JSON.stringify(picture(seconds, isHeld)), inputs: { values: [row] } }, make);
	const workflow = await importWorkflow(rest, { ...document, name: path, settings }, credentials);
	await rest.activate(workflow);
	return {
		workflow,
		async order() {
			const ordered = color++;
			await until('the order to be taken', async () => (await callWebhook(rest.url, path, { color: ordered })) || undefined);
			return ordered;
		},
		executions: async () => (await rest.executions(workflow.id)).sort((left, right) => Number(left.id) - Number(right.id)),
	};
}
