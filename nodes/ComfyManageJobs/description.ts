import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, operationsOf, options, showForResource } from '../shared/descriptions/common';
import { toolDescriptions } from './toolDescriptions';
import { description as jobGetAll } from './job/getAll';
import { description as jobById } from './job/byId';
import { description as nodeDefinitionGetAll } from './nodeDefinition/getAll';
import { description as queueDelete } from './queue/delete';
import { description as queueGet } from './queue/get';
import { description as queueInterrupt } from './queue/interrupt';
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
		{ name: 'Workflow', value: 'workflow' },
	],
	default: 'job',
};

const operations: INodeProperties[] = [
	operationsOf('job', 'get', [
		{ name: 'Cancel', value: 'cancel', action: 'Cancel job', description: 'Stop a job and confirm that it has stopped' },
		{ name: 'Get', value: 'get', action: 'Get job', description: 'Look at a job as it stands, with its outputs' },
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many jobs',
			description: 'List jobs, newest first, also those that n8n knows nothing of',
		},
	]),
	operationsOf('nodeDefinition', 'getAll', [
		{
			name: 'Get Many',
			value: 'getAll',
			action: 'Get many node definitions',
			description: 'Read what the node classes of the account or of your ComfyUI take and give',
		},
	]),
	operationsOf('queue', 'get', [
		{ name: 'Delete', value: 'delete', action: 'Delete jobs from queue', description: 'Take waiting jobs out of the queue' },
		{ name: 'Get', value: 'get', action: 'Get queue', description: 'List running and waiting jobs, whoever submitted them' },
		{
			name: 'Interrupt',
			value: 'interrupt',
			action: 'Interrupt every running job',
			description: 'Stop EVERY running job of the account or of your ComfyUI, whoever submitted it',
		},
	]),
	operationsOf('workflow', 'check', [
		{
			name: 'Check',
			value: 'check',
			action: 'Check workflow',
			description: 'Find out whether a workflow can run here, and which nodes, models and files it lacks; nothing is run',
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
	...workflowCheck,
	...workflowGetAll,
	options(showForResource('job', 'get', 'getAll', 'cancel'), [concurrency, interfaceOption]),
];
