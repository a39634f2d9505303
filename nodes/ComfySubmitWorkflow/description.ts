import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, options, withKeys } from '../shared/descriptions/common';
import { EMPTY_WORKFLOW } from '../shared/jobs/submit/workflowText';
import { EXPORT_STEPS } from '../shared/messages/graph';

const workflow: INodeProperties[] = [
	{
		displayName: 'Workflow From',
		name: 'workflowSource',
		type: 'options',
		options: [
			{ name: 'JSON', value: 'json', description: 'Pasted here, or from an expression' },
			{ name: 'Binary File', value: 'file', description: 'A JSON file carried by the input item' },
		],
		default: 'json',
	},
	{
		displayName: 'Workflow',
		name: 'workflow',
		type: 'json',
		typeOptions: { rows: 10 },
		// Neither empty nor `required`, which would mark it red before anybody has begun; an empty one is refused with words.
		default: EMPTY_WORKFLOW,
		description: 'The workflow in API format',
		hint: EXPORT_STEPS,
		displayOptions: { show: { workflowSource: ['json'] } },
	},
	{
		displayName: 'Workflow File Field',
		name: 'workflowBinaryField',
		type: 'string',
		default: 'data',
		required: true,
		description: 'Name of the binary field that holds the workflow’s JSON file',
		displayOptions: { show: { workflowSource: ['file'] } },
	},
];

const inputs: INodeProperties[] = [
	{
		displayName: 'Input Values',
		name: 'inputValues',
		type: 'json',
		default: '{}',
		description: 'Values to put into the workflow, by node and input',
		hint: 'By ID or title of the node and name of its input, e.g. {"6": {"text": "a red fox"}}',
	},
	{
		displayName: 'Input Files',
		name: 'inputFiles',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Input File',
		default: {},
		description: 'Uploaded files to put into the workflow',
		options: [
			{
				displayName: 'File',
				name: 'values',
				values: [
					{
						displayName: 'Node',
						name: 'node',
						type: 'string',
						default: '',
						placeholder: 'e.g. 1 or Load Image',
						description: 'ID or title of the node that takes the file',
					},
					{
						displayName: 'Input',
						name: 'input',
						type: 'string',
						default: 'image',
						description: 'Name of the node’s input that takes the file',
					},
					{
						displayName: 'Reference',
						name: 'reference',
						type: 'string',
						default: '={{ $json.reference }}',
						description: 'The reference that Comfy Upload Asset outputs',
					},
				],
			},
		],
	},
];

const keyMode: INodeProperties = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKeyMode',
	type: 'options',
	options: [
		{ name: 'Automatic', value: 'automatic', description: 'One key for each item, kept through retries: never pays twice' },
		{ name: 'Custom', value: 'custom', description: 'A key of your own for each item, e.g. an order number' },
		{ name: 'None', value: 'none', description: 'No key: a lost answer is never sent again' },
	],
	default: 'automatic',
	description: 'What tells the service that two submissions are the same one',
	displayOptions: withKeys,
};

export const description: INodeProperties[] = [
	authentication,
	...workflow,
	...inputs,
	options(undefined, [
		{
			displayName: 'Cancel Jobs When Execution Stops',
			name: 'cancelOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether jobs of this node are canceled in the service when the execution is stopped while it submits',
		},
		{ ...concurrency, description: 'How many items are worked on at the same time. Above 1, jobs may enter the queue in another order than the items; the results keep the order.' },
		{
			displayName: 'Custom Idempotency Key',
			name: 'idempotencyKey',
			type: 'string',
			typeOptions: { password: false },
			default: '',
			placeholder: 'e.g. order-{{ $json.order_id }}',
			description: 'Different for each item. Used only where Idempotency Key is Custom.',
			displayOptions: withKeys,
		},
		{
			displayName: 'Extra Data',
			name: 'extraData',
			type: 'json',
			default: '{}',
			description: 'Sent beside the workflow as extra_data. The service does not store it; ComfyUI itself keeps it in its history.',
		},
		keyMode,
		interfaceOption,
		{
			displayName: 'Keep Trying For (Seconds)',
			name: 'keepTryingForSeconds',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600, numberPrecision: 0 },
			default: 60,
			description: 'How long to try again while the queue is full, the deployment or your server is starting, or requests are limited',
		},
		{
			displayName: 'Send Key To Partner Nodes',
			name: 'sendPartnerKey',
			type: 'boolean',
			default: false,
			description: 'Whether to send the credential’s partner key with the job, for workflows with partner (API) nodes',
		},
	]),
];
