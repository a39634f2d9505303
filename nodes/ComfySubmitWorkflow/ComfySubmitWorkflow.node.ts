import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/credentialTest';
import { icon, nextStep, serviceCredentials } from '../shared/descriptions/common';
import { checkCustomKeys } from '../shared/customKeys';
import { searchFileInputs, searchInputs } from '../shared/inputs/listSearch';
import { settings } from '../shared/jobs/submit/settings';
import { execute, onStop, patienceMs } from '../shared/jobs/submit/submit';
import { runItems } from '../shared/runItems';
import { description } from './description';

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
		hints: nextStep('This node only submits: connect Comfy Wait For Job next, then Comfy Download Outputs. Comfy Run Workflow does all of it in one node.'),
		properties: description,
	};

	methods = { credentialTest, listSearch: { searchFileInputs, searchInputs } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { submit: { settings, patienceMs, execute, onStop, checkItems: checkCustomKeys } });
	}
}
