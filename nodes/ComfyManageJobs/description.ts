import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, options, showForResource } from '../shared/descriptions/common';
import { operationField, operationFields, toolDescriptions } from '../shared/descriptions/operations';
import { operations } from './operations';

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

export const description: INodeProperties[] = [
	...toolDescriptions(operations),
	authentication,
	resource,
	operationField(operations.job, 'get', 'job'),
	operationField(operations.nodeDefinition, 'getAll', 'nodeDefinition'),
	operationField(operations.queue, 'get', 'queue'),
	operationField(operations.server, 'getInfo', 'server'),
	operationField(operations.workflow, 'check', 'workflow'),
	...operationFields(operations),
	options(showForResource('job', 'get', 'getAll', 'cancel'), [concurrency, interfaceOption]),
];
