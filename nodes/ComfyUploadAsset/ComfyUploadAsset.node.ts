import {
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
} from 'n8n-workflow';

import { credentialTest } from '../shared/credentialTest';
import { authentication, icon, serviceCredentials } from '../shared/descriptions/common';
import { runItems } from '../shared/runItems';
import * as byId from './byId';
import * as createFromHash from './createFromHash';
import * as upload from './upload';
import * as uploadMask from './uploadMask';

export class ComfyUploadAsset implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Comfy Upload Asset',
		name: 'comfyUploadAsset',
		icon: icon('upload'),
		group: ['transform'],
		version: [1],
		subtitle:
			'={{ { upload: "Upload", uploadMask: "Upload mask", createFromHash: "Create from hash", get: "Get", delete: "Delete" }[$parameter["operation"]] }}',
		description: 'Store files for ComfyUI workflows in the service, without sending the same bytes twice',
		defaults: { name: 'Comfy Upload Asset' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: serviceCredentials,
		properties: [
			authentication,
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Create From Hash', value: 'createFromHash', action: 'Create asset from hash', description: 'Make an asset of a file that the service has already; v2 only' },
					{ name: 'Delete', value: 'delete', action: 'Delete asset', description: 'Remove the record of an asset; v2 only' },
					{ name: 'Get', value: 'get', action: 'Get asset', description: 'Read the record of an asset; v2 only' },
					{ name: 'Upload', value: 'upload', action: 'Upload asset', description: 'Send a file to the service' },
					{ name: 'Upload Mask', value: 'uploadMask', action: 'Upload mask', description: 'Send a mask for an image that was uploaded over v1 or to an engine' },
				],
				default: 'upload',
			},
			...upload.description,
			...uploadMask.description,
			...createFromHash.description,
			...byId.description,
		],
	};

	methods = { credentialTest };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { settings } = byId;
		return await runItems(this, {
			upload,
			uploadMask,
			createFromHash,
			get: { settings, execute: byId.get },
			delete: { settings, execute: byId.remove },
		});
	}
}
