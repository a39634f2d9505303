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
import { checkCustomKeys } from '../shared/submission/keys';
import { icon, MAY_STAY_OPEN, nextStep, serviceCredentials } from '../shared/descriptions/common';
import { searchChoices } from '../shared/listSearch/choices';
import { searchFileInputs, searchInputs, searchOutputNodes } from '../shared/listSearch/inputs';
import { searchJobs } from '../shared/listSearch/jobs';
import { searchSavedWorkflows } from '../shared/listSearch/workflows';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { execute, existingJobsAdvice, onRunEnd, onStop } from './execute';
import { settings } from './settings';

export class ComfyRunWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Run Workflow',
		name: 'comfyRunWorkflow',
		icon: icon('comfy'),
		group: ['transform'],
		version: [1],
		subtitle: 'Run workflow',
		description: 'Run a ComfyUI workflow and get its images, videos, audio and texts',
		defaults: { name: 'Comfy Run Workflow' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: ['Done', 'Still Running'],
		credentials: serviceCredentials,
		hints: nextStep(`Done returns the files. ${MAY_STAY_OPEN}. To wait longer, connect it to Comfy Wait For Job.`, 'beforeExecution'),
		...builderHintOf('comfyRunWorkflow'),
		properties: description,
	};

	methods = {
		credentialTest,
		resourceMapping: { appInputFields },
		listSearch: { searchChoices, searchFileInputs, searchInputs, searchJobs, searchOutputNodes, searchSavedWorkflows },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { run: { settings, execute, onStop, onRunEnd, checkItems: checkCustomKeys, existingJobsAdvice } }, 2);
	}
}
