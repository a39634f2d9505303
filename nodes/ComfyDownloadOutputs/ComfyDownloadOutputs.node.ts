import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/connect/credentialTest';
import { builderHintOf } from '../shared/descriptions/builderHints';
import { icon, nextStep, serviceCredentials } from '../shared/descriptions/common';
import { execute } from '../shared/jobs/download/download';
import { settings } from '../shared/jobs/download/settings';
import { searchJobs } from '../shared/listSearch/jobs';
import { runItems } from '../shared/items/runItems';
import { description } from './description';

export class ComfyDownloadOutputs implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Download Outputs',
		name: 'comfyDownloadOutputs',
		icon: icon('download'),
		group: ['transform'],
		version: [1],
		subtitle: '={{ $parameter["outputMode"] === "singleItem" ? "All on one item" : "One item per output" }}',
		description: 'Download the images, videos, audio, texts and other files of a ComfyUI job',
		defaults: { name: 'Comfy Download Outputs' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		hints: nextStep('The files are under Binary. In a node that uses a file, enter the name from Put Output File In Field.'),
		...builderHintOf('comfyDownloadOutputs'),
		properties: description,
	};

	methods = { credentialTest, listSearch: { searchJobs } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, { download: { settings, execute } });
	}
}
