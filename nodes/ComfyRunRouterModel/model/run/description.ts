import type { INodeProperties } from 'n8n-workflow';

import { concurrency, options, reportLostServer, showForResource } from '../../../shared/descriptions/common';
import { DEFAULT_LARGEST_RESULT_MB } from './settings';

const files: INodeProperties[] = [
	{
		displayName: 'Download Result Files',
		name: 'downloadResultFiles',
		type: 'boolean',
		default: true,
		description: 'Whether to download the files that the output of the model links to. These links often expire within hours.',
	},
	{
		displayName: 'Largest Result File (MB)',
		name: 'largestResultFileMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_LARGEST_RESULT_MB,
		description: 'Largest file to download. Used only if Download Result Files is on.',
	},
	{
		displayName: 'Put Output File In Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		hint: 'The name of the output binary field to put the file in. If there are several files, their fields are data_0, data_1, and so on.',
	},
];

const key: INodeProperties[] = [
	{
		displayName: 'Custom Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		typeOptions: { password: false },
		default: '',
		placeholder: 'e.g. order-{{ $json.order_id }}',
		description: 'Enter a different key for each item. Used only if Idempotency Key is Custom.',
	},
	{
		displayName: 'Idempotency Key',
		name: 'idempotencyKeyMode',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'One key for each item. A retry uses the same key, also after n8n crashes, so a run is never paid twice.',
			},
			{
				name: 'Custom',
				value: 'custom',
				description: 'Your own key for each item. Within 24 hours, the same key returns the same result without a new charge.',
			},
		],
		default: 'automatic',
		description: 'Key by which the router recognizes a repeated run',
	},
];

const routing: INodeProperties[] = [
	{
		displayName: 'Fallback Provider',
		name: 'fallbackProvider',
		type: 'boolean',
		default: true,
		description: 'Whether to use another provider of the same model if the first one is not available. Not for queued delivery.',
	},
	{
		displayName: 'Model Provider',
		name: 'modelProvider',
		type: 'string',
		default: '',
		description: 'Provider to use if the model has several',
	},
	{
		displayName: 'Reject Unknown Fields',
		name: 'rejectUnknownFields',
		type: 'boolean',
		default: false,
		description: 'Whether the router rejects inputs that the model does not have',
	},
	{
		displayName: 'Strict Mode',
		name: 'strictMode',
		type: 'boolean',
		default: false,
		description: 'Whether the router rejects inputs that the provider does not support. If this is off, it omits them.',
	},
];

const limitRuns: INodeProperties = {
	displayName: 'Limit Runs Per Execution',
	name: 'limitRuns',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 10,
	description:
		'Max number of runs of this node in one execution, to limit the cost. Further items are not sent. Retries of a run are not counted again. Without this option, there is no limit.',
};

const seeds: INodeProperties = {
	displayName: 'Seeds',
	name: 'seeds',
	type: 'options',
	options: [
		{ name: 'As In The Input', value: 'asIs', description: 'Use the seed in the input. Without one, the model chooses a seed.' },
		{
			name: 'Random For Each Item',
			value: 'random',
			description: 'Use a different seed for each item if its input has none. Retries of an item keep its seed.',
		},
	],
	default: 'asIs',
	description: 'How to set the seed inputs of the model. With Random For Each Item, each item contains its seeds.',
};

const byName = (one: INodeProperties, other: INodeProperties): number => one.displayName.localeCompare(other.displayName);

const runOptions: INodeProperties[] = [concurrency, ...files, ...key, limitRuns, reportLostServer, ...routing, seeds].sort(byName);

const show = showForResource('model', 'run');
const showWith = (conditions: Record<string, string[]>) => ({ show: { ...show.show, ...conditions } });

const inputFiles: INodeProperties = {
	displayName: 'Input Files',
	name: 'inputFiles',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input File',
	default: {},
	description: 'Files of the input item to send in the request. Use them for inputs that accept a URL or a data URI.',
	options: [
		{
			displayName: 'File',
			name: 'values',
			values: [
				{
					displayName: 'Input',
					name: 'field',
					type: 'string',
					default: '',
					placeholder: 'e.g. image_url or messages[0].image',
					description: 'Name of the input that receives the file. If the input is a list, the file is added to it.',
				},
				{
					displayName: 'Binary Field',
					name: 'binaryField',
					type: 'string',
					default: 'data',
					description: 'Name of the binary field of the input item that contains the file',
				},
			],
		},
	],
};

const input: INodeProperties[] = [
	{
		displayName: 'Input Mode',
		name: 'inputMode',
		type: 'options',
		options: [
			{ name: 'Form', value: 'form', description: 'One field for each input in the schema of the model' },
			{ name: 'JSON', value: 'json', description: 'Complete input of the model as JSON' },
		],
		default: 'form',
		displayOptions: show,
	},
	{
		// n8n shows this name as the heading of the section.
		displayName: 'Values to Send',
		name: 'form',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		typeOptions: {
			loadOptionsDependsOn: ['model.value'],
			resourceMapper: {
				resourceMapperMethod: 'inputFields',
				mode: 'add',
				fieldWords: { singular: 'input', plural: 'inputs' },
				addAllFields: true,
				supportAutoMap: false,
				noFieldsError: 'This model has no form. Set Input Mode to JSON.',
			},
		},
		displayOptions: showWith({ inputMode: ['form'] }),
	},
	{
		displayName: 'Input (JSON)',
		name: 'inputJson',
		type: 'json',
		typeOptions: { rows: 8 },
		default: '{}',
		required: true,
		placeholder: 'e.g. {"prompt": "a red fox"}',
		description: 'Input of the model. To see the fields that it accepts, use the operation Get Input Schema.',
		displayOptions: showWith({ inputMode: ['json'] }),
	},
	{ ...inputFiles, displayOptions: show },
];

const delivery: INodeProperties[] = [
	{
		displayName: 'Delivery',
		name: 'delivery',
		type: 'options',
		options: [
			{ name: 'Synchronous', value: 'synchronous', description: 'Keep one connection open until the router returns the result' },
			{
				name: 'Queued',
				value: 'queued',
				description:
					'For long runs. The router stores the request, and the node polls for the result. Not for models that return plain bytes.',
			},
		],
		default: 'synchronous',
		displayOptions: show,
	},
	{
		displayName: 'Max Wait (Minutes)',
		name: 'maxWaitMinutes',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		description: 'How long to wait for the result, for all attempts together. If the result arrives later, retry the execution to get it.',
		displayOptions: show,
	},
];

export const description: INodeProperties[] = [...input, ...delivery, options(show, runOptions)];
