import type { INodeProperties } from 'n8n-workflow';

import { fromList } from '../descriptions/common';
import { byJob } from '../descriptions/jobId';
import { EXPORT_STEPS } from '../messages/conversion';

const shownFrom = (source: string): INodeProperties['displayOptions'] => ({ show: { workflowSource: [source] } });

/** By path, or by name where an expression chooses. */
export const savedWorkflow: INodeProperties = {
	displayName: 'Saved Workflow',
	name: 'savedWorkflow',
	type: 'resourceLocator',
	// Not `required`, which would mark it red before anybody has begun; an empty one is refused with words.
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
	...byJob,
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

const placeFields: INodeProperties[] = [
	{ ...savedWorkflow, displayOptions: shownFrom('saved') },
	{ ...workflow, displayOptions: shownFrom('json') },
	{
		displayName: 'Workflow File Field',
		name: 'workflowBinaryField',
		type: 'string',
		default: 'data',
		required: true,
		description: 'Name of the binary field that holds the file: a workflow’s JSON, or an image, video or audio file that ComfyUI saved',
		displayOptions: shownFrom('file'),
	},
];

/** Where the workflow comes from. */
export const workflowFields: INodeProperties[] = [workflowSource, ...placeFields, { ...workflowJob, displayOptions: shownFrom('job') }];

/** The same for a node that asks for a job in the first place, by fields of its own. */
export const workflowFieldsBeside = (jobFields: INodeProperties[]): INodeProperties[] => [
	{ ...workflowSource, default: 'job' },
	...jobFields.map((field) => ({ ...field, displayOptions: { show: { ...field.displayOptions?.show, workflowSource: ['job'] } } })),
	...placeFields,
];

type Shown = NonNullable<INodeProperties['displayOptions']>['show'];

/** The same beside other operations. */
export const workflowFieldsWhere = (show: Shown): INodeProperties[] =>
	workflowFields.map((field) => ({ ...field, displayOptions: { show: { ...show, ...field.displayOptions?.show } } }));
