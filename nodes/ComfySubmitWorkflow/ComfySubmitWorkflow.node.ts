import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { appInputFields } from '../shared/app/formInEditor';
import { credentialTest } from '../shared/connect/credentialTest';
import { builderHintOf } from '../shared/descriptions/builderHints';
import { icon, nextStep, serviceCredentials } from '../shared/descriptions/common';
import { checkCustomKeys } from '../shared/submission/keys';
import { searchChoices } from '../shared/listSearch/choices';
import { searchFileInputs, searchInputs } from '../shared/listSearch/inputs';
import { searchJobs } from '../shared/listSearch/jobs';
import { searchSavedWorkflows } from '../shared/listSearch/workflows';
import { execute, onStop } from '../shared/jobs/submit/submit';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { settings } from './settings';

export class ComfySubmitWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Submit Workflow',
		name: 'comfySubmitWorkflow',
		icon: icon('submit'),
		group: ['transform'],
		version: [1],
		subtitle: 'Submit workflow',
		description: 'Submit a ComfyUI workflow as a job, exactly once for each item',
		defaults: { name: 'Comfy Submit Workflow' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		hints: nextStep(
			'This node only submits the job: connect Comfy Wait For Job next, then Comfy Download Outputs. Comfy Run Workflow does all three steps in one node.',
		),
		...builderHintOf('comfySubmitWorkflow'),
		properties: description,
	};

	methods = {
		credentialTest,
		resourceMapping: { appInputFields },
		listSearch: { searchChoices, searchFileInputs, searchInputs, searchJobs, searchSavedWorkflows },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { submit: { settings, execute, onStop, checkItems: checkCustomKeys } });
	}
}
