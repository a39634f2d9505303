import type { INodeProperties } from 'n8n-workflow';

import { inputLocator } from '../inputs/description';

/** A file that the service has. */
export const reference: INodeProperties = {
	displayName: 'Reference',
	name: 'reference',
	type: 'string',
	default: '={{ $json.reference }}',
	description: 'What Comfy Upload Asset or another Comfy Run Workflow outputs as reference, or the name of a file that ComfyUI has',
};

/** The rows that put files into the workflow. */
export const files: INodeProperties = {
	displayName: 'Files',
	name: 'files',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add File',
	default: {},
	description: 'Files to put into the workflow, each into an input that takes one',
	options: [
		{
			displayName: 'File',
			name: 'values',
			values: [
				inputLocator('searchFileInputs', 'Where the workflow takes the file', 'e.g. 1.image or Load Image · image'),
				{
					displayName: 'From',
					name: 'from',
					type: 'options',
					options: [
						{ name: 'Binary Field', value: 'binary', description: 'A file that the input item carries' },
						{
							name: 'Reference',
							value: 'reference',
							description: 'A file that the service has: uploaded before, or the output of another job',
						},
						{ name: 'URL', value: 'url', description: 'A file on the web, passed on to the service' },
					],
					default: 'binary',
				},
				{
					displayName: 'Binary Field',
					name: 'binaryPropertyName',
					type: 'string',
					default: 'data',
					hint: 'The name of the input binary field that holds the file',
					displayOptions: { show: { from: ['binary'] } },
				},
				{
					displayName: 'URL',
					name: 'url',
					type: 'string',
					default: '',
					placeholder: 'e.g. https://example.com/cat.png',
					description: 'Address of the file itself. It is fetched without any credential, within the limits that n8n sets.',
					displayOptions: { show: { from: ['url'] } },
				},
				{ ...reference, displayOptions: { show: { from: ['reference'] } } },
			],
		},
	],
};

export const DEFAULT_LARGEST_FILE_MB = 500;

export const largestFile: INodeProperties = {
	displayName: 'Largest File (MB)',
	name: 'largestFileMb',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: DEFAULT_LARGEST_FILE_MB,
	description: 'How much is taken from a URL under Files; a larger file is refused before the workflow is submitted',
};
