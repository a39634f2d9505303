import type { INodeProperties } from 'n8n-workflow';

import { concurrency, options, showForResource } from '../shared/descriptions/common';
import { operationField, operationFields, toolDescriptions } from '../shared/descriptions/operations';
import { modelLocator } from './models';
import { operations } from './operations';

const authentication: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	options: [
		{ name: 'API Key', value: 'comfyApi' },
		{ name: 'JWT', value: 'comfyRouterJwtApi' },
	],
	default: 'comfyApi',
};

const resource: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Model', value: 'model' },
		{ name: 'Request', value: 'request' },
	],
	default: 'model',
};

export const description: INodeProperties[] = [
	...toolDescriptions(operations),
	authentication,
	resource,
	operationField(operations.model, 'run', 'model'),
	operationField(operations.request, 'get', 'request'),
	{ ...modelLocator, displayOptions: { hide: { operation: ['getAll'] } } },
	...operationFields(operations),
	options(showForResource('request', 'get', 'cancel'), [concurrency]),
];
