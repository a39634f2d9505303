import type { INodeProperties } from 'n8n-workflow';

import { concurrency, operationsOf, options, showForResource } from '../shared/descriptions/common';
import { description as modelById } from './model/byId';
import { description as modelGetAll } from './model/getAll';
import { description as modelRun } from './model/run/description';
import { modelLocator } from './models';
import { description as requestId } from './request/byId';

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

const operations: INodeProperties[] = [
	operationsOf('model', 'run', [
		{ name: 'Get', value: 'get', action: 'Get model', description: 'Get the details of a model' },
		{
			name: 'Get Input Schema',
			value: 'getInputSchema',
			action: 'Get input schema of model',
			description: 'Get the inputs that a model accepts',
		},
		{ name: 'Get Many', value: 'getAll', action: 'Get many models', description: 'List the models of the router' },
		{ name: 'Run', value: 'run', action: 'Run model', description: 'Run a model and return its result' },
	]),
	operationsOf('request', 'get', [
		{ name: 'Cancel', value: 'cancel', action: 'Cancel request', description: 'Cancel a queued request' },
		{
			name: 'Get',
			value: 'get',
			action: 'Get request',
			description: 'Get the status of a queued request, and its result if it is finished',
		},
	]),
];

export const description: INodeProperties[] = [
	authentication,
	resource,
	...operations,
	{ ...modelLocator, displayOptions: { hide: { operation: ['getAll'] } } },
	...modelRun,
	...requestId,
	...modelGetAll,
	...modelById,
	options(showForResource('request', 'get', 'cancel'), [concurrency]),
];
