import type { INodeProperties } from 'n8n-workflow';

import { appInputsFields } from '../shared/app/description';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, fromList, interfaceOption, options } from '../shared/descriptions/common';
import {
	binaryPropertyName,
	cancelOnTimeout,
	customIdempotencyKey,
	extraData,
	inputValues,
	jobsInFlight,
	keyMode,
	maxWaitFields,
	outputMode,
	sendPartnerKey,
} from '../shared/descriptions/jobFields';
import { inputs } from '../shared/inputs/description';
import { files, largestFile } from '../shared/inputFiles/description';
import { workflowFields } from '../shared/workflows/description';

const outputs: INodeProperties = {
	displayName: 'Outputs',
	name: 'outputs',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Output',
	default: {},
	description:
		'The nodes of the workflow whose outputs are wanted; without any, those that an app shows, and of other workflows all that save something',
	options: [
		{
			displayName: 'Output',
			name: 'values',
			values: [
				{
					displayName: 'Node',
					name: 'node',
					type: 'resourceLocator',
					default: { mode: 'list', value: '' },
					modes: [
						fromList('searchOutputNodes', 'Select an output…'),
						{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. 9 or Save Image' },
					],
				},
			],
		},
	],
};

const FOR_MODELS =
	'Runs a ComfyUI workflow, which makes or changes images, videos, audio or texts, and waits for the result. Give a value for every input that is asked for. Answers JSON: job_id, status, and the outputs with name, type, size and, of texts, the text. With status queued or running the job goes on: ask again with its job_id as the answer says. Every call makes a new job, which may cost money: call once for each wish. Files are not handed over: n8n delivers them by job_id.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...workflowFields,
	...appInputsFields,
	inputs,
	files,
	options(undefined, [
		{
			displayName: 'All Outputs',
			name: 'allOutputs',
			type: 'boolean',
			default: true,
			description: 'Whether to hand on everything that an app saves, not only what its author shows. Rows of Outputs win over it.',
		},
		cancelOnTimeout,
		{
			displayName: 'Cancel Jobs When Execution Stops',
			name: 'cancelOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether to cancel the jobs of this node in the service when the execution is stopped, so that they cost nothing more',
		},
		jobsInFlight,
		customIdempotencyKey,
		extraData,
		{
			displayName: 'First Seed',
			name: 'firstSeed',
			type: 'string',
			default: '',
			placeholder: 'e.g. 42',
			description: 'The seed of the first item. Used only where Seeds is Increase By One; empty means the seed of the workflow.',
		},
		keyMode,
		{
			displayName: 'Include Temporary Previews',
			name: 'includePreviews',
			type: 'boolean',
			default: false,
			description: 'Whether to hand on what preview nodes show as well. ComfyUI deletes these files with its next start.',
		},
		inputValues,
		interfaceOption,
		largestFile,
		...maxWaitFields,
		outputMode,
		outputs,
		binaryPropertyName,
		{
			displayName: 'Seeds',
			name: 'seeds',
			type: 'options',
			options: [
				{ name: 'As In The Workflow', value: 'asIs', description: 'The same seed for every item' },
				{
					name: 'Increase By One',
					value: 'increase',
					description: 'The first item begins with First Seed, or the seed of the workflow; each next item has one more',
				},
				{ name: 'Random For Each Item', value: 'random', description: 'Another seed for each item; retries of an item keep its seed' },
			],
			default: 'asIs',
			description: 'Which seeds the items get, in all nodes of the workflow that have one. Every item tells its seeds.',
		},
		sendPartnerKey,
	]),
];
