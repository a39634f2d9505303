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
import { searchModelFolders } from '../shared/listSearch/models';
import { searchSavedWorkflows } from '../shared/listSearch/workflows';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { cancelJob, getJob } from './job/byId';
import * as jobGetAll from './job/getAll';
import * as nodeDefinitionGetAll from './nodeDefinition/getAll';
import * as queueDelete from './queue/delete';
import * as queueGet from './queue/get';
import * as queueInterrupt from './queue/interrupt';
import * as serverClearHistory from './server/clearHistory';
import * as serverFreeMemory from './server/freeMemory';
import * as serverGetAllModels from './server/getAllModels';
import * as serverGetInfo from './server/getInfo';
import * as workflowCheck from './workflow/check';
import * as workflowGetAll from './workflow/getAll';

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
		return await runItems(this, {
			'job:get': getJob,
			'job:getAll': jobGetAll,
			'job:cancel': cancelJob,
			'nodeDefinition:getAll': nodeDefinitionGetAll,
			'queue:get': queueGet,
			'queue:delete': queueDelete,
			'queue:interrupt': queueInterrupt,
			'server:clearHistory': serverClearHistory,
			'server:freeMemory': serverFreeMemory,
			'server:getAllModels': serverGetAllModels,
			'server:getInfo': serverGetInfo,
			'workflow:check': workflowCheck,
			'workflow:getAll': workflowGetAll,
		});
	}
}
