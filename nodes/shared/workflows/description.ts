import type { INodeProperties } from 'n8n-workflow';

import type { ShowCondition } from '../descriptions/asTool';
import { fromList } from '../descriptions/common';
import { jobModes } from '../descriptions/jobFields';
import { EXPORT_STEPS } from '../messages/topics/workflow';

const showForSource = (source: string): INodeProperties['displayOptions'] => ({ show: { workflowSource: [source] } });

/** A workflow that is saved in ComfyUI, from the list or by name. */
export const savedWorkflow: INodeProperties = {
	displayName: 'Saved Workflow',
	name: 'savedWorkflow',
	type: 'resourceLocator',
	// `required` would mark the field red in a new node. An empty field gives an error message instead.
	default: { mode: 'list', value: '' },
	description:
		'Workflow, app, blueprint or template in ComfyUI. The node reads it again in each run, so your changes in ComfyUI take effect.',
	modes: [
		fromList('searchSavedWorkflows', 'Select a workflow…'),
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. portraits/fox' },
	],
};

const workflow: INodeProperties = {
	displayName: 'Workflow',
	name: 'workflow',
	type: 'string',
	typeOptions: { rows: 10 },
	default: '',
	placeholder: 'e.g. {"6": {"class_type": "CLIPTextEncode", …',
	description: 'Workflow as JSON, in API format or in the editor format that ComfyUI saves',
	hint: `${EXPORT_STEPS} With your own ComfyUI or the hosted service, you can also paste the file that ComfyUI saves.`,
};

const workflowJob: INodeProperties = {
	displayName: 'Job',
	name: 'workflowJob',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'Job whose workflow to use',
	...jobModes,
};

const workflowSource: INodeProperties = {
	displayName: 'Workflow From',
	name: 'workflowSource',
	type: 'options',
	options: [
		{ name: 'Saved In ComfyUI', value: 'saved', description: 'Workflow, app, blueprint or template that is saved in ComfyUI' },
		{ name: 'JSON', value: 'json', description: 'Workflow that you paste, or that an expression returns' },
		{
			name: 'File',
			value: 'file',
			description: 'File of the input item: workflow JSON, or an image, video or audio file that ComfyUI saved',
		},
		{ name: 'Job', value: 'job', description: 'Workflow of an earlier job' },
	],
	default: 'saved',
	description: 'Source of the workflow',
};

const sourceFields: INodeProperties[] = [
	{ ...savedWorkflow, displayOptions: showForSource('saved') },
	{ ...workflow, displayOptions: showForSource('json') },
	{
		displayName: 'Workflow File Field',
		name: 'workflowBinaryField',
		type: 'string',
		default: 'data',
		required: true,
		description: 'Name of the binary field that contains workflow JSON, or an image, video or audio file that ComfyUI saved',
		displayOptions: showForSource('file'),
	},
];

/** The fields of *Workflow From*. */
export const workflowFields: INodeProperties[] = [
	workflowSource,
	...sourceFields,
	{ ...workflowJob, displayOptions: showForSource('job') },
];

/** Returns the fields for a node that reads the workflow of a job by default, with fields of its own for the job. */
export const workflowFieldsWithJob = (jobFields: INodeProperties[]): INodeProperties[] => [
	{ ...workflowSource, default: 'job' },
	...jobFields.map((field) => ({ ...field, displayOptions: { show: { ...field.displayOptions?.show, workflowSource: ['job'] } } })),
	...sourceFields,
];

/** Returns the fields for one operation of a node. */
export const workflowFieldsFor = (show: ShowCondition): INodeProperties[] =>
	workflowFields.map((field) => ({ ...field, displayOptions: { show: { ...show, ...field.displayOptions?.show } } }));
