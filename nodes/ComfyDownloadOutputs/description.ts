import type { INodeProperties } from 'n8n-workflow';

import { OUTPUT_TYPES } from '../../client';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, filterFields, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import { imageOptions } from '../shared/jobs/download/options';
import type { Option } from '../shared/options';
import { binaryField, jobIdFields, outputMode } from '../shared/descriptions/jobFields';

const filters: INodeProperties = filterFields(undefined, [
	{
		displayName: 'File Names',
		name: 'names',
		type: 'string',
		default: '',
		placeholder: 'e.g. final_*.png',
		description: 'Return only outputs with these file names. Separate several with commas. * matches any characters.',
	},
	{
		displayName: 'Node IDs',
		name: 'nodeIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. 9, 12',
		description: 'Return only outputs of these workflow nodes. Separate several with commas.',
	},
	{
		displayName: 'Types',
		name: 'types',
		type: 'multiOptions',
		options: OUTPUT_TYPES.map((value) => ({ name: value.charAt(0).toUpperCase() + value.slice(1), value })),
		default: [],
		description: 'Return only outputs of these types',
	},
]);

const FOR_MODELS =
	'Gets the outputs of a finished ComfyUI job. Enter the job_id exactly as another tool returned it. Returns JSON: the outputs with name, type and size. Text outputs include their text. Files are not part of the response: n8n delivers them by job_id.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...jobIdFields(),
	...outputMode.fields,
	...binaryField.fields.map((field) => ({ ...field, required: true })),
	filters,
	options(undefined, [concurrency, ...Object.values<Option>(imageOptions), interfaceOption, reportLostServer]),
];
