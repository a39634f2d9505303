import type { IDataObject } from 'n8n-workflow';

import type { ApiGraph } from '../../../client';
import type { Sandbox } from '../../../sandbox/types';
import { type Credential, type NodeResult, type NodeRun, runNode } from './engine';
import { credentialFor } from './flavours';

/** Submits one graph for each item; without items, one. */
export const submitRun = (credential: Credential, workflow: unknown, more: Partial<NodeRun> = {}): NodeRun => ({
	node: 'comfySubmitWorkflow',
	credential,
	...more,
	parameters: { workflowSource: 'json', workflow, inputs: {}, inputFiles: {}, options: {}, ...more.parameters } as IDataObject,
});

/** The id of a job that runs this graph. */
export async function submitted(sandbox: Sandbox, graph: ApiGraph, credential = credentialFor(sandbox)): Promise<string> {
	const { outputs, error } = await runNode(submitRun(credential, graph));
	const id = outputs[0]?.[0]?.json.job_id;
	if (typeof id !== 'string') throw new Error(`not submitted: ${error?.message}`);
	return id;
}

export const waitRun = (credential: Credential, jobIds: string[], more: Partial<NodeRun> = {}): NodeRun => ({
	node: 'comfyWaitForJob',
	credential,
	items: jobIds.map((job_id) => ({ json: { job_id } })),
	...more,
	parameters: { jobId: '={{ $json.job_id }}', howToWait: 'live', maxWaitMinutes: 10, options: {}, ...more.parameters },
});

/** A job that has ended well. */
export async function finished(sandbox: Sandbox, graph: ApiGraph, credential = credentialFor(sandbox)): Promise<string> {
	const id = await submitted(sandbox, graph, credential);
	const { status, error } = await runNode(waitRun(credential, [id]));
	if (status !== 'success') throw new Error(`not finished: ${error?.message}`);
	return id;
}

export const jsons = (result: NodeResult, output = 0): IDataObject[] => (result.outputs[output] ?? []).map(({ json }) => json);
