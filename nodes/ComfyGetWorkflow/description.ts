import type { INodeProperties } from 'n8n-workflow';

import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { jobIdFields } from '../shared/descriptions/jobFields';
import { workflowFieldsWithJob } from '../shared/workflows/description';

const FOR_MODELS =
	'Reads the ComfyUI workflow that a job has run: its nodes, prompts, seeds and settings. Give the job_id exactly as another tool has answered it. Answers JSON, which may be long.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...workflowFieldsWithJob(jobIdFields({ description: 'The job whose workflow is read, as Comfy Submit Workflow outputs it in job_id' })),
	{
		displayName: 'Output As',
		name: 'outputAs',
		type: 'options',
		options: [
			{
				name: 'JSON',
				value: 'json',
				description: 'In the item’s field "workflow"; a number too long for n8n, such as a large seed, is text there',
			},
			{ name: 'JSON Text', value: 'text', description: 'In the item’s field "workflow_text", with every digit of its numbers' },
			{ name: 'File', value: 'file', description: 'As a JSON file in a binary field' },
		],
		default: 'json',
		hint: 'The field "format" tells what came: "api" is what ComfyUI runs, "save" is the workflow as it was saved in the editor',
	},
	{
		displayName: 'Convert To API Format',
		name: 'convertToApi',
		type: 'boolean',
		default: false,
		description:
			'Whether a workflow in the editor’s format is turned into the format that ComfyUI runs (API format), as the menu Export (API) does. Where that cannot be done, it is output as it is, and the field not_converted says why.',
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
