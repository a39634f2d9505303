import type { INodeProperties } from 'n8n-workflow';

import { appInputsFields } from '../shared/app/description';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, fromList, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import {
	binaryPropertyName,
	cancelOnTimeout,
	customIdempotencyKey,
	extraData,
	freeMemory,
	freeMemoryAnyway,
	freeMemoryWait,
	ifStillRunningNotConnected,
	inputValues,
	jobsInFlight,
	keyMode,
	maxWaitFields,
	outputMode,
	runFailedJobsAgain,
	sendPartnerKey,
	whenServerLost,
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
		'Nodes of the workflow whose outputs to return. Without rows, an app returns the outputs that its author selected, and other workflows return all saved outputs.',
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
					description: 'Node whose outputs to return',
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
	'Runs a ComfyUI workflow, which generates or edits images, videos, audio or text, and waits for the result. Enter a value for each requested input. Returns JSON: job_id, status, and the outputs with name, type and size. Text outputs include their text. If the status is queued or running, the job is not finished: request it again with its job_id, as the response says. Each call creates a new job, which may cost money: call this tool once for each request of the user. Files are not part of the response: n8n delivers them by job_id.';

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
			description:
				'Whether to return all files that an app saves. Without this option, an app returns only the outputs that its author selected. Rows of Outputs override this option.',
		},
		cancelOnTimeout,
		{
			displayName: 'Cancel Jobs When Execution Stops',
			name: 'cancelOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether to cancel the jobs of this node in the service if the execution is stopped, to avoid further cost',
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
			description: 'Seed of the first item. Used only if Seeds is Increase By One. If it is empty, the seed of the workflow is used.',
		},
		freeMemory,
		freeMemoryAnyway,
		keyMode,
		ifStillRunningNotConnected,
		{
			displayName: 'Include Temporary Previews',
			name: 'includePreviews',
			type: 'boolean',
			default: false,
			description: 'Whether to also return the files of preview nodes. ComfyUI deletes these files when it restarts.',
		},
		inputValues,
		interfaceOption,
		largestFile,
		...maxWaitFields,
		outputMode,
		outputs,
		binaryPropertyName,
		reportLostServer,
		runFailedJobsAgain,
		{
			displayName: 'Seeds',
			name: 'seeds',
			type: 'options',
			options: [
				{ name: 'As In The Workflow', value: 'asIs', description: 'Keep the seeds of the workflow for all items' },
				{
					name: 'Increase By One',
					value: 'increase',
					description: 'Use First Seed, or the seed of the workflow, for the first item, and add 1 for each further item',
				},
				{
					name: 'Random For Each Item',
					value: 'random',
					description: 'Use a different seed for each item. Retries of an item keep its seed.',
				},
			],
			default: 'asIs',
			description: 'How to set the seeds in all nodes of the workflow that have one. Each item contains its seeds.',
		},
		sendPartnerKey,
		freeMemoryWait,
		whenServerLost,
	]),
];
