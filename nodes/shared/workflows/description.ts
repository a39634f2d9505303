import type { INodeProperties } from 'n8n-workflow';

import type { ShowCondition } from '../descriptions/asTool';
import { fromList } from '../descriptions/common';
import { jobModes } from '../descriptions/jobFields';
import { EXPORT_STEPS } from '../messages/conversion';

const showForSource = (source: string): INodeProperties['displayOptions'] => ({ show: { workflowSource: [source] } });

/** A workflow that is saved in ComfyUI, from the list or by name. */
export const savedWorkflow: INodeProperties = {
	displayName: 'Saved Workflow',
	name: 'savedWorkflow',
	type: 'resourceLocator',
	// `required` would mark the field red in a new node. An empty field gives an error message instead.
	default: { mode: 'list', value: '' },
	description:
		'Which of the workflows and apps that are saved in ComfyUI, or which of its templates. It is read anew at each run, so that what you change in ComfyUI takes effect.',
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
	description: 'The workflow as JSON: as ComfyUI exports it for programs (API format), or as it saves it',
	hint: `${EXPORT_STEPS} The file that ComfyUI saves will do as well, where the server tells what its nodes take: a ComfyUI of your own, or the hosted service.`,
};

const workflowJob: INodeProperties = {
	displayName: 'Job',
	name: 'workflowJob',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The job whose workflow is taken',
	...jobModes,
};

const workflowSource: INodeProperties = {
	displayName: 'Workflow From',
	name: 'workflowSource',
	type: 'options',
	options: [
		{ name: 'Saved In ComfyUI', value: 'saved', description: 'A workflow or an app that was saved in ComfyUI, or one of its templates' },
		{ name: 'JSON', value: 'json', description: 'Pasted here, or from an expression' },
		{
			name: 'File',
			value: 'file',
			description: 'A file of the input item: a workflow’s JSON, or an image, video or audio file that ComfyUI saved',
		},
		{ name: 'Job', value: 'job', description: 'What an earlier job ran' },
	],
	default: 'saved',
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
		description: 'Name of the binary field that holds the file: a workflow’s JSON, or an image, video or audio file that ComfyUI saved',
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
