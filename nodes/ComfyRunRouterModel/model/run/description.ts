import type { INodeProperties } from 'n8n-workflow';

import { concurrency, options, reportLostServer, showForResource } from '../../../shared/descriptions/common';
import type { Option } from '../../../shared/options';
import { inputOptions, routingOptions, runOptions } from './options';

const show = showForResource('model', 'run');
const showInput = showForResource('model', 'run', 'estimateCost');
const showInputWith = (conditions: Record<string, string[]>) => ({ show: { ...showInput.show, ...conditions } });

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

/** The fields of the operations that send an input. */
export const input: INodeProperties[] = [
	{
		displayName: 'Input Mode',
		name: 'inputMode',
		type: 'options',
		options: [
			{ name: 'Form', value: 'form', description: 'One field for each input in the schema of the model' },
			{ name: 'JSON', value: 'json', description: 'Complete input of the model as JSON' },
		],
		default: 'form',
		displayOptions: showInput,
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
		displayOptions: showInputWith({ inputMode: ['form'] }),
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
		displayOptions: showInputWith({ inputMode: ['json'] }),
	},
	{ ...inputFiles, displayOptions: showInput },
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

export const description: INodeProperties[] = [
	...input,
	...delivery,
	options(show, [
		...[inputOptions, runOptions, routingOptions].flatMap((group) => Object.values<Option>(group)),
		concurrency,
		reportLostServer,
	]),
];
