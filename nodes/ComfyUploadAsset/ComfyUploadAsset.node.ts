import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/connect/credentialTest';
import { builderHintOf } from '../shared/descriptions/builderHints';
import { icon, serviceCredentials } from '../shared/descriptions/common';
import { runItems } from '../shared/items/runItems';
import { description } from './description';
import { operations } from './operations';
import { runnable } from '../shared/descriptions/operations';

export class ComfyUploadAsset implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Upload Asset',
		name: 'comfyUploadAsset',
		icon: icon('upload'),
		group: ['transform'],
		version: [1],
		subtitle:
			'={{ { upload: "Upload", uploadMask: "Upload mask", createFromHash: "Create from hash", get: "Get", delete: "Delete" }[$parameter["operation"]] }}',
		description: 'Upload files for ComfyUI workflows, and skip files that the service already stores',
		defaults: { name: 'Comfy Upload Asset' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		...builderHintOf('comfyUploadAsset'),
		properties: description,
	};

	methods = { credentialTest };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, runnable(operations));
	}
}
