import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { binaryPropertyName, outputMode } from '../shared/descriptions/jobOptions';
import { jobId } from '../shared/jobId';

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
	options: [
		{
			displayName: 'File Names',
			name: 'names',
			type: 'string',
			default: '',
			placeholder: 'e.g. final_*.png',
			description: 'Only outputs with one of these names; * stands for any characters. Separate several by commas.',
		},
		{
			displayName: 'Node IDs',
			name: 'nodeIds',
			type: 'string',
			default: '',
			placeholder: 'e.g. 9, 12',
			description: 'Only outputs of these workflow nodes. Separate several by commas.',
		},
		{
			displayName: 'Types',
			name: 'types',
			type: 'multiOptions',
			options: [
				{ name: 'Audio', value: 'audio' },
				{ name: 'File', value: 'file' },
				{ name: 'Image', value: 'image' },
				{ name: 'Latent', value: 'latent' },
				{ name: 'Text', value: 'text' },
				{ name: 'Video', value: 'video' },
			],
			default: [],
			description: 'Only outputs of these types',
		},
	],
};

export const description: INodeProperties[] = [
	authentication,
	jobId,
	outputMode,
	{ ...binaryPropertyName, required: true },
	filters,
	options(undefined, [concurrency, interfaceOption]),
];
