import type { INodeProperties } from 'n8n-workflow';

import { BYTES_PER_MB } from '../../../client';
import { numberOption } from '../options';
import { inputLocator } from '../inputs/description';

/** A file that the service has. */
export const reference: INodeProperties = {
	displayName: 'Reference',
	name: 'reference',
	type: 'string',
	default: '={{ $json.reference }}',
	description: 'Reference that Comfy Upload Asset or Comfy Run Workflow returns, or the name of a file in ComfyUI',
};

/** The rows that put files into the workflow. */
export const files: INodeProperties = {
	displayName: 'Files',
	name: 'files',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add File',
	default: {},
	description: 'Files for the file inputs of the workflow',
	options: [
		{
			displayName: 'File',
			name: 'values',
			values: [
				inputLocator('searchFileInputs', 'Input of the workflow that receives the file', 'e.g. 1.image or Load Image · image'),
				{
					displayName: 'From',
					name: 'from',
					type: 'options',
					options: [
						{ name: 'Base64', value: 'base64', description: 'File as Base64 text or as a data URL, for example from the answer of an API' },
						{ name: 'Binary Field', value: 'binary', description: 'File in a binary field of the input item' },
						{
							name: 'Reference',
							value: 'reference',
							description: 'File that the service already stores: an uploaded file or an output of another job',
						},
						{ name: 'URL', value: 'url', description: 'File on the web, which the node downloads and sends to the service' },
					],
					default: 'binary',
					description: 'Source of the file',
				},
				{
					displayName: 'Base64',
					name: 'base64',
					type: 'string',
					default: '',
					placeholder: 'e.g. iVBORw0KGgo… or data:image/png;base64,…',
					description: 'Content of the file as Base64 text, or as a data URL. The node finds the type of the file in its first bytes.',
					displayOptions: { show: { from: ['base64'] } },
				},
				{
					displayName: 'Binary Field',
					name: 'binaryPropertyName',
					type: 'string',
					default: 'data',
					hint: 'The name of the input binary field that contains the file',
					displayOptions: { show: { from: ['binary'] } },
				},
				{
					displayName: 'URL',
					name: 'url',
					type: 'string',
					default: '',
					placeholder: 'e.g. https://example.com/cat.png',
					description:
						'Direct address of the file. The node downloads it without a credential and follows the network restrictions of n8n.',
					displayOptions: { show: { from: ['url'] } },
				},
				{ ...reference, displayOptions: { show: { from: ['reference'] } } },
			],
		},
	],
};

/** In bytes. */
export const largestFile = numberOption(
	{
		displayName: 'Largest File (MB)',
		name: 'largestFileMb',
		typeOptions: { minValue: 1 },
		default: 500,
		description:
			'Largest file from a URL or from Base64 under Files. If a file is larger, the item fails before the workflow is submitted.',
	},
	{ least: 1, unit: BYTES_PER_MB },
);
