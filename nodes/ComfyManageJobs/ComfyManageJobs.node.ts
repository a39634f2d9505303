import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/connect/credentialTest';
import { icon, serviceCredentials } from '../shared/descriptions/common';
import { runnable } from '../shared/descriptions/operations';
import { searchJobs } from '../shared/listSearch/jobs';
import { searchModelFolders } from '../shared/listSearch/models';
import { searchSavedWorkflows } from '../shared/listSearch/workflows';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { operations } from './operations';

export class ComfyManageJobs implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Manage Jobs and Queue',
		name: 'comfyManageJobs',
		icon: icon('manage'),
		group: ['transform'],
		version: [1],
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Get and cancel ComfyUI jobs, manage the queue and the server, get node definitions, and list and check workflows',
		defaults: { name: 'Comfy Manage Jobs and Queue' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		properties: description,
	};

	methods = { credentialTest, listSearch: { searchJobs, searchModelFolders, searchSavedWorkflows } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, runnable(operations));
	}
}
