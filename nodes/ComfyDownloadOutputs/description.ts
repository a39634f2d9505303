import type { INodeProperties } from 'n8n-workflow';

import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, filterFields, options } from '../shared/descriptions/common';
import { binaryPropertyName, jobIdFields, outputMode } from '../shared/descriptions/jobFields';

const filters: INodeProperties = filterFields(undefined, [
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
]);

const FOR_MODELS =
	'Tells what a ComfyUI job that has ended has made. Give the job_id exactly as another tool has answered it. Answers JSON: the outputs with name, type, size and, of texts, the text. Files are not handed over: n8n delivers them by job_id.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...jobIdFields(),
	outputMode,
	{ ...binaryPropertyName, required: true },
	filters,
	options(undefined, [concurrency, interfaceOption]),
];
