import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
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
	{
		displayName: 'Output Mode',
		name: 'outputMode',
		type: 'options',
		options: [
			{ name: 'One Item per Output', value: 'itemPerOutput' },
			{ name: 'All Outputs on One Item', value: 'singleItem' },
		],
		default: 'itemPerOutput',
	},
	{
		displayName: 'Put Output File In Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		hint: 'The name of the output binary field to put the file in; with all outputs on one item: data_0, data_1, …',
	},
	filters,
	options(undefined, [concurrency, interfaceOption]),
];
