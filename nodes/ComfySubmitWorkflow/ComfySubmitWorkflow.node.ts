import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/credentialTest';
import { icon, serviceCredentials } from '../shared/descriptions/common';
import { runItems } from '../shared/runItems';
import { checkCustomKeys } from '../shared/customKeys';
import { description } from './description';
import { settings } from './settings';
import { execute, onStop, patienceMs } from './submit';

export class ComfySubmitWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Submit Workflow',
		name: 'comfySubmitWorkflow',
		icon: icon('submit'),
		group: ['transform'],
		version: [1],
		subtitle: 'Submit workflow',
		description: 'Submit a ComfyUI workflow as a job, exactly once',
		defaults: { name: 'Comfy Submit Workflow' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		properties: description,
	};

	methods = { credentialTest };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { submit: { settings, patienceMs, execute, onStop, checkItems: checkCustomKeys } });
	}
}
