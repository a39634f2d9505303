import type { IDataObject } from 'n8n-workflow';

import type { Credential, NodeRun } from './engine';

/** Runs one graph for each item; without items, one. Other parameters as n8n saves those of a fresh node. */
export const runRun = (credential: Credential, workflow: unknown, more: Partial<NodeRun> = {}): NodeRun => ({
	node: 'comfyRunWorkflow',
	credential,
	...more,
	parameters: { workflowSource: 'json', workflow, inputs: {}, files: {}, options: {}, ...more.parameters } as IDataObject,
});
