import type { INodeProperties } from 'n8n-workflow';

import { options, showForResource } from '../../../shared/descriptions/common';
import { runOptions } from './options';

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
		// As n8n heads the section.
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
