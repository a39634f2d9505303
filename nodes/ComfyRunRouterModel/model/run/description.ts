import type { INodeProperties } from 'n8n-workflow';

import { concurrency, options, showForResource } from '../../../shared/descriptions/common';
import { DEFAULT_LARGEST_RESULT_MB } from './settings';

const files: INodeProperties[] = [
	{
		displayName: 'Download Result Files',
		name: 'downloadResultFiles',
		type: 'boolean',
		default: true,
		description: 'Whether to save the files whose addresses the model’s output holds; they often expire within hours',
	},
	{
		displayName: 'Largest Result File (MB)',
		name: 'largestResultFileMb',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: DEFAULT_LARGEST_RESULT_MB,
		description: 'Larger files are not downloaded. Used only where Download Result Files is on.',
	},
	{
		displayName: 'Put Output File In Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		hint: 'The name of the output binary field to put the file in; with several files: data_0, data_1, …',
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
		description: 'Different for each item. Used only where Idempotency Key is Custom.',
	},
	{
		displayName: 'Idempotency Key',
		name: 'idempotencyKeyMode',
		type: 'options',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'One key for each item, the same in every retry, also after n8n itself died: never pays twice',
			},
			{
				name: 'Custom',
				value: 'custom',
				description: 'A key of your own for each item: within 24 hours the same key gives the same result, unbilled',
			},
		],
		default: 'automatic',
		description: 'What tells the router that two runs are the same one',
	},
];

const routing: INodeProperties[] = [
	{
		displayName: 'Fallback Provider',
		name: 'fallbackProvider',
		type: 'boolean',
		default: true,
		description: 'Whether another provider of the same model may step in. Not for queued delivery.',
	},
	{
		displayName: 'Model Provider',
		name: 'modelProvider',
		type: 'string',
		default: '',
		description: 'Which of the model’s providers to use, where it has several',
	},
	{
		displayName: 'Reject Unknown Fields',
		name: 'rejectUnknownFields',
		type: 'boolean',
		default: false,
		description: 'Whether inputs that the model does not have are refused',
	},
	{
		displayName: 'Strict Mode',
		name: 'strictMode',
		type: 'boolean',
		default: false,
		description: 'Whether inputs that a provider does not support are refused, in place of being left out',
	},
];

const limitRuns: INodeProperties = {
	displayName: 'Limit Runs Per Execution',
	name: 'limitRuns',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 0 },
	default: 10,
	description:
		'A guard against unexpected cost: items beyond this many runs of this node are not sent. Tries of the same run count once. Without this option there is no limit.',
};

const seeds: INodeProperties = {
	displayName: 'Seeds',
	name: 'seeds',
	type: 'options',
	options: [
		{ name: 'As In The Input', value: 'asIs', description: 'The seed that the input gives; without one the model decides' },
		{
			name: 'Random For Each Item',
			value: 'random',
			description: 'Another seed for each item where the input gives none; retries of an item keep its seed',
		},
	],
	default: 'asIs',
	description: 'Which seeds the items get, in all inputs of the model that are one. With Random For Each Item, every item tells its seeds.',
};

const byName = (one: INodeProperties, other: INodeProperties): number => one.displayName.localeCompare(other.displayName);

const runOptions: INodeProperties[] = [concurrency, ...files, ...key, limitRuns, ...routing, seeds].sort(byName);

const show = showForResource('model', 'run');
const showWith = (more: Record<string, string[]>) => ({ show: { ...show.show, ...more } });

const inputFiles: INodeProperties = {
	displayName: 'Input Files',
	name: 'inputFiles',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Input File',
	default: {},
	description: 'Files of the input item to send inside the request, for inputs that take an address or a data URI',
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
					description: 'Name of the model’s input that takes the file; a list gets it added',
				},
				{
					displayName: 'Binary Field',
					name: 'binaryField',
					type: 'string',
					default: 'data',
					description: 'Name of the input item’s binary field that holds the file',
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
			{ name: 'Form', value: 'form', description: 'One field for each input that the model’s own schema names' },
			{ name: 'JSON', value: 'json', description: 'The model’s input as it is sent' },
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
		description: 'The model’s own input. The operation Get Input Schema shows what it takes.',
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
			{ name: 'Synchronous', value: 'synchronous', description: 'One connection is held until the result is there' },
			{
				name: 'Queued',
				value: 'queued',
				description: 'For long runs: the router keeps the request, and is asked from time to time. Not for models that return plain bytes.',
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
		description: 'For all attempts together. A result that comes later can be collected by retrying the execution.',
		displayOptions: show,
	},
];

export const description: INodeProperties[] = [...input, ...delivery, options(show, runOptions)];
