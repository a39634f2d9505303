import type { Execution, ExecutionError, WorkflowDocument } from '../n8nHost';
import { DemoFailure } from './failure';

const STEPS: Array<[label: string, nodeType: string]> = [
	['Upload', 'n8n-nodes-comfy.comfyUploadAsset'],
	['Submit', 'n8n-nodes-comfy.comfySubmitWorkflow'],
	['Wait', 'n8n-nodes-comfy.comfyWaitForJob'],
	['Get Workflow', 'n8n-nodes-comfy.comfyGetWorkflow'],
	['Download', 'n8n-nodes-comfy.comfyDownloadOutputs'],
];

export const nodeNamed = (document: WorkflowDocument, type: string): string => {
	const node = document.nodes.find((candidate) => candidate.type === type);
	if (!node) throw new Error(`The workflow "${document.name}" has no ${type} node`);
	return node.name;
};

const failureOf = (node: string, error: ExecutionError | undefined): DemoFailure =>
	new DemoFailure(`"${node}" failed: ${error?.message ?? 'n8n gives no reason'}`, error?.description ?? 'Look at the log of n8n.');

/** Prints each step with the time n8n measured. Throws what n8n shows for a step that failed, or was not reached. */
export function printSteps(document: WorkflowDocument, execution: Execution): void {
	const { runData, error } = execution.data.resultData;
	for (const [label, type] of STEPS) {
		const node = nodeNamed(document, type);
		const run = runData[node]?.at(-1);
		if (!run || run.error) throw failureOf(node, run?.error ?? error);
		console.log(`  ${label.padEnd(14)}${(run.executionTime / 1000).toFixed(2).padStart(6)} s`);
	}
	if (execution.status !== 'success') throw failureOf(execution.data.resultData.lastNodeExecuted ?? document.name, error);
}
