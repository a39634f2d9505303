import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/connect/credentialTest';
import { icon, serviceCredentials } from '../shared/descriptions/common';
import { searchJobs } from '../shared/listSearch/jobs';
import { searchSavedWorkflows } from '../shared/listSearch/workflows';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { execute, settings } from './execute';

export class ComfyGetWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Get Workflow',
		name: 'comfyGetWorkflow',
		icon: icon('workflow'),
		group: ['transform'],
		version: [1],
		subtitle: '={{ { json: "As JSON", text: "As JSON text", file: "As file" }[$parameter["outputAs"]] }}',
		description: 'Get the workflow of a ComfyUI job, a workflow that is saved in ComfyUI, or the workflow in an image file',
		defaults: { name: 'Comfy Get Workflow' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		properties: description,
	};

	methods = { credentialTest, listSearch: { searchJobs, searchSavedWorkflows } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { getWorkflow: { settings, execute } });
	}
}
