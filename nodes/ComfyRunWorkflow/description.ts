import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { EMPTY_WORKFLOW } from '../shared/jobs/submit/workflowText';
import { EXPORT_STEPS } from '../shared/messages/graph';

const workflow: INodeProperties = {
	displayName: 'Workflow',
	name: 'workflow',
	type: 'json',
	typeOptions: { rows: 10 },
	// Neither empty nor `required`, which would mark it red before anybody has begun; an empty one is refused with words.
	default: EMPTY_WORKFLOW,
	description: 'The workflow in API format',
	hint: EXPORT_STEPS,
};

export const description: INodeProperties[] = [
	authentication,
	workflow,
	options(undefined, [
		{
			displayName: 'Cancel Job After Max Wait',
			name: 'cancelOnTimeout',
			type: 'boolean',
			default: false,
			description: 'Whether to cancel the job in the service when Max Wait is over',
		},
		{
			displayName: 'Cancel Jobs When Execution Stops',
			name: 'cancelOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether to cancel the jobs of this node in the service when the execution is stopped, so that they cost nothing more',
		},
		{ ...concurrency, description: 'How many jobs are in flight at the same time; the results keep the order of the items' },
		{
			displayName: 'Input Values',
			name: 'inputValues',
			type: 'json',
			default: '{}',
			description: 'Values to put into the workflow, by node and input',
			hint: 'By ID or title of the node and name of its input, e.g. {"6": {"text": "a red fox"}}',
		},
		interfaceOption,
		{
			displayName: 'Max Wait (Minutes)',
			name: 'maxWaitMinutes',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 60,
			description: 'After this time the job goes to the output Still Running. n8n’s own execution timeout, if it is shorter, ends the wait first.',
		},
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
			hint: 'The name of the output binary field to put the file in; with all outputs on one item: data_0, data_1, …',
		},
	]),
];
