import type { INodeProperties } from 'n8n-workflow';

import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { jobIdFields } from '../shared/descriptions/jobFields';
import { workflowFieldsWithJob } from '../shared/workflows/description';

const FOR_MODELS =
	'Gets the ComfyUI workflow of a job: its nodes, prompts, seeds and settings. Enter the job_id exactly as another tool returned it. Returns JSON, which may be long.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...workflowFieldsWithJob(
		jobIdFields({ description: 'ID of the job whose workflow to get, which Comfy Submit Workflow returns in job_id' }),
	),
	{
		displayName: 'Output As',
		name: 'outputAs',
		type: 'options',
		options: [
			{
				name: 'JSON',
				value: 'json',
				description: 'In the field "workflow". Numbers that are too long for n8n, such as large seeds, become text.',
			},
			{ name: 'JSON Text', value: 'text', description: 'In the field "workflow_text", with all digits of all numbers' },
			{ name: 'File', value: 'file', description: 'JSON file in a binary field' },
		],
		default: 'json',
		hint: 'The field "format" of the item is "api" (the format that ComfyUI runs) or "save" (the editor format)',
	},
	{
		displayName: 'Convert To API Format',
		name: 'convertToApi',
		type: 'boolean',
		default: false,
		description:
			'Whether to convert a workflow in editor format to API format, as Export (API) in ComfyUI does. If the conversion fails, the item has the unchanged workflow and the reason in not_converted.',
	},
	{
		displayName: 'Put Output File In Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		hint: 'The name of the output binary field to put the file in',
		displayOptions: { show: { outputAs: ['file'] } },
	},
	options(undefined, [concurrency, interfaceOption]),
];
