import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, operationsOf, options, showForResource } from '../shared/descriptions/common';
import { toolDescriptions } from './toolDescriptions';
import { description as jobGetAll } from './job/getAll';
import { description as jobById } from './job/byId';
import { description as nodeDefinitionGetAll } from './nodeDefinition/getAll';
import { description as queueDelete } from './queue/delete';
import { description as queueGet } from './queue/get';
import { description as queueInterrupt } from './queue/interrupt';
import { description as serverClearHistory } from './server/clearHistory';
import { description as serverFreeMemory } from './server/freeMemory';
import { description as serverGetAllModels } from './server/getAllModels';
import { description as serverGetInfo } from './server/getInfo';
import { description as workflowCheck } from './workflow/check';
import { description as workflowGetAll } from './workflow/getAll';

const resource: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Job', value: 'job' },
		{ name: 'Node Definition', value: 'nodeDefinition' },
		{ name: 'Queue', value: 'queue' },
		{ name: 'Server', value: 'server' },
		{ name: 'Workflow', value: 'workflow' },
	],
	default: 'job',
};

const operations: INodeProperties[] = [
	operationsOf('job', 'get', [
		{ name: 'Cancel', value: 'cancel', action: 'Cancel job', description: 'Stop a job and confirm that it stopped' },
		{ name: 'Get', value: 'get', action: 'Get job', description: 'Get the current status of a job and its outputs' },
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many jobs',
			description: 'List jobs, newest first, including jobs that other programs submitted',
		},
	]),
	operationsOf('nodeDefinition', 'getAll', [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many node definitions',
			description: 'Get the inputs and outputs of the node classes in the account or in your ComfyUI',
		},
	]),
	operationsOf('queue', 'get', [
		{ name: 'Delete', value: 'delete', action: 'Delete jobs from queue', description: 'Remove waiting jobs from the queue' },
		{ name: 'Get', value: 'get', action: 'Get queue', description: 'List all running and waiting jobs of the account or of your ComfyUI' },
		{
			name: 'Interrupt',
			value: 'interrupt',
			action: 'Interrupt every running job',
			description: 'Stop EVERY running job of the account or of your ComfyUI, including jobs from other users and programs',
		},
	]),
	operationsOf('server', 'getInfo', [
		{
			name: 'Clear History',
			value: 'clearHistory',
			action: 'Clear history of server',
			description: 'Remove finished jobs from the history of your ComfyUI. Their files remain.',
		},
		{
			name: 'Free Memory',
			value: 'freeMemory',
			action: 'Free memory of server',
			description: 'Unload the models of your ComfyUI, for example before another program uses the GPU',
		},
		{
			name: 'Get Information',
			value: 'getInfo',
			action: 'Get information about server',
			description: 'Get the versions, devices, memory and queue length of your ComfyUI',
		},
		{
			name: 'Get Many Models',
			value: 'getAllModels',
			action: 'Get many models of server',
			description: 'List the model files of your ComfyUI, for example checkpoints and LoRAs',
		},
	]),
	operationsOf('workflow', 'check', [
		{
			name: 'Check',
			value: 'check',
			action: 'Check workflow',
			description: 'Check whether the server can run a workflow, and list missing nodes, models and files. The workflow is not run.',
		},
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many saved workflows',
			description: 'List the workflows and apps that are saved in ComfyUI, newest first',
		},
	]),
];

export const description: INodeProperties[] = [
	...toolDescriptions,
	authentication,
	resource,
	...operations,
	...jobById,
	...jobGetAll,
	...queueInterrupt,
	...queueDelete,
	...queueGet,
	...nodeDefinitionGetAll,
	...serverClearHistory,
	...serverFreeMemory,
	...serverGetInfo,
	...serverGetAllModels,
	...workflowCheck,
	...workflowGetAll,
	options(showForResource('job', 'get', 'getAll', 'cancel'), [concurrency, interfaceOption]),
];
