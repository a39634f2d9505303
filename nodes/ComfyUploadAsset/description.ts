import type { INodeProperties } from 'n8n-workflow';

import { authentication } from '../shared/descriptions/common';
import { description as assetId } from './byId';
import { description as createFromHash } from './createFromHash';
import { description as upload } from './upload';
import { description as uploadMask } from './uploadMask';

const operation: INodeProperties = {
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: [
		{
			name: 'Create From Hash',
			value: 'createFromHash',
			action: 'Create asset from hash',
			description: 'Create an asset from a file that the service already stores (v2 only)',
		},
		{ name: 'Delete', value: 'delete', action: 'Delete asset', description: 'Delete the record of an asset (v2 only)' },
		{ name: 'Get', value: 'get', action: 'Get asset', description: 'Get the record of an asset (v2 only)' },
		{ name: 'Upload', value: 'upload', action: 'Upload asset', description: 'Upload a file to the service' },
		{
			name: 'Upload Mask',
			value: 'uploadMask',
			action: 'Upload mask',
			description: 'Upload a mask for an image that you uploaded with v1 or to your own ComfyUI',
		},
	],
	default: 'upload',
};

export const description: INodeProperties[] = [authentication, operation, ...upload, ...uploadMask, ...createFromHash, ...assetId];
