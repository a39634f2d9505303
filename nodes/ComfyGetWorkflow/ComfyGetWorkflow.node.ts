import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/credentialTest';
import { icon, serviceCredentials } from '../shared/descriptions/common';
import { searchJobs } from '../shared/listSearch/jobs';
import { runItems } from '../shared/runItems';
import { description } from './description';
import { execute, settings } from './getWorkflow';

export class ComfyGetWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Get Workflow',
		name: 'comfyGetWorkflow',
		icon: icon('workflow'),
		group: ['transform'],
		version: [1],
		subtitle: '={{ { json: "As JSON", text: "As JSON text", file: "As file" }[$parameter["outputAs"]] }}',
		description: 'Get the workflow behind a ComfyUI job',
		defaults: { name: 'Comfy Get Workflow' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		properties: description,
	};

	methods = { credentialTest, listSearch: { searchJobs } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { getWorkflow: { settings, execute } });
	}
}
