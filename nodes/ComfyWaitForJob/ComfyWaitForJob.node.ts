import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/connect/credentialTest';
import { builderHintOf } from '../shared/descriptions/builderHints';
import { icon, MAY_STAY_OPEN, nextStep, serviceCredentials } from '../shared/descriptions/common';
import { searchJobs } from '../shared/listSearch/jobs';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { execute, onRunEnd, onStop } from './execute';
import { settings } from './settings';

export class ComfyWaitForJob implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Wait For Job',
		name: 'comfyWaitForJob',
		icon: icon('wait'),
		group: ['transform'],
		version: [1],
		subtitle: '={{ $parameter["howToWait"] === "live" ? "Live" : "Polling" }}',
		description: 'Wait until a ComfyUI job finishes. If you stop the execution, the job is canceled.',
		defaults: { name: 'Comfy Wait For Job' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main, NodeConnectionTypes.Main],
		outputNames: ['Done', 'Still Running'],
		credentials: serviceCredentials,
		hints: nextStep(`Connect Done to Comfy Download Outputs to get the files. ${MAY_STAY_OPEN}.`),
		...builderHintOf('comfyWaitForJob'),
		properties: description,
	};

	methods = { credentialTest, listSearch: { searchJobs } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { wait: { settings, execute, onStop, onRunEnd } }, 2);
	}
}
