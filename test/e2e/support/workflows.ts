import type { WorkflowDocument, WorkflowNode } from '../../../scripts/n8nHost/documents';

export const TRIGGER = 'Start';

export const node = (name: string, type: string, typeVersion: number, parameters: WorkflowNode['parameters']): WorkflowNode => ({
	id: name,
	name,
	type,
	typeVersion,
	position: [0, 0],
	parameters,
});

const start = node(TRIGGER, 'n8n-nodes-base.manualTrigger', 1, {});

type ComfyNode =
	| 'comfyRunWorkflow'
	| 'comfyUploadAsset'
	| 'comfySubmitWorkflow'
	| 'comfyWaitForJob'
	| 'comfyGetWorkflow'
	| 'comfyDownloadOutputs'
	| 'comfyManageJobs'
	| 'comfyRunRouterModel'
	| 'comfyProgressTrigger';

/** One of our nodes, named after its type, with the credential of the hosted surface. */
export const comfy = (
	type: ComfyNode,
	parameters: WorkflowNode['parameters'] = {},
	settings: Partial<WorkflowNode> = {},
): WorkflowNode => ({
	...node(type, `n8n-nodes-comfy.${type}`, 1, {
		authentication: 'comfyApi',
		...('workflow' in parameters && { workflowSource: 'json' }),
		...parameters,
	}),
	credentials: { comfyApi: { id: null, name: '' } },
	...settings,
});

/** Makes `count` items `{"index": 0}`, `{"index": 1}` … */
export function items(count: number): WorkflowNode[] {
	const jsonOutput = JSON.stringify({ list: Array.from({ length: count }, (_, index) => ({ index })) });
	return [
		node('List', 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput, options: {} }),
		node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'list', options: {} }),
	];
}

/** The nodes one after another, behind a manual trigger. */
export const chain = (name: string, ...nodes: WorkflowNode[]): WorkflowDocument => line(name, [start, ...nodes]);

/** The nodes one after another, the first of which is a trigger. */
export function line(name: string, all: WorkflowNode[]): WorkflowDocument {
	const connections = Object.fromEntries(
		all.slice(1).map((next, index) => [all[index]?.name ?? '', { main: [[{ node: next.name, type: 'main', index: 0 }]] }]),
	);
	return { name, nodes: all, connections };
}
