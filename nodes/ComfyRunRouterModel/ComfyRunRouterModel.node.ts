import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { routerCredentialTest } from '../shared/connect/credentialTest';
import { checkCustomKeys } from '../shared/submission/keys';
import { icon } from '../shared/descriptions/common';
import { searchModels } from '../shared/listSearch/routerModels';
import { RouterDoors } from '../shared/connect/routerConnect';
import { runItemsBehind } from '../shared/items/runItems';
import { description } from './description';
import { inputFields } from './form';
import * as modelGet from './model/get';
import * as modelGetAll from './model/getAll';
import * as modelGetInputSchema from './model/getInputSchema';
import { execute } from './model/run/execute';
import { settings } from './model/run/settings';
import * as requestCancel from './request/cancel';
import * as requestGet from './request/get';

export class ComfyRunRouterModel implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Run Router Model',
		name: 'comfyRunRouterModel',
		icon: icon('router'),
		group: ['transform'],
		version: [1],
		subtitle:
			'={{ ($parameter["operation"] === "run" && ($parameter["model"]?.value ?? $parameter["model"])) || $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Run partner models of the model router from a form of their own inputs, billed once',
		defaults: { name: 'Comfy Run Router Model' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'comfyApi', required: true, testedBy: 'comfyApiTest', displayOptions: { show: { authentication: ['comfyApi'] } } },
			{
				name: 'comfyRouterJwtApi',
				required: true,
				testedBy: 'comfyRouterJwtApiTest',
				displayOptions: { show: { authentication: ['comfyRouterJwtApi'] } },
			},
		],
		properties: description,
	};

	methods = {
		credentialTest: routerCredentialTest,
		listSearch: { searchModels },
		resourceMapping: { inputFields },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operations = {
			'model:run': { settings, execute, checkItems: checkCustomKeys },
			'model:get': modelGet,
			'model:getAll': modelGetAll,
			'model:getInputSchema': modelGetInputSchema,
			'request:get': requestGet,
			'request:cancel': requestCancel,
		};
		return await runItemsBehind(this, operations, new RouterDoors(this));
	}
}
