import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { routerCredentialTest } from '../shared/connect/credentialTest';
import { icon } from '../shared/descriptions/common';
import { searchModels } from '../shared/listSearch/routerModels';
import { RouterConnections } from '../shared/connect/routerConnections';
import { runItemsWith } from '../shared/items/runItems';
import { description } from './description';
import { operations } from './operations';
import { runnable } from '../shared/descriptions/operations';
import { inputFields } from './form';

export class ComfyRunRouterModel implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Run Router Model',
		name: 'comfyRunRouterModel',
		icon: icon('router'),
		group: ['transform'],
		version: [1],
		subtitle:
			'={{ ($parameter["operation"] === "run" && ($parameter["model"]?.value ?? $parameter["model"])) || $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Run partner models from a form with the inputs of each model, and pay once for each run',
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
		return await runItemsWith(this, runnable(operations), new RouterConnections(this));
	}
}
