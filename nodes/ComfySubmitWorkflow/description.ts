import type { INodeProperties } from 'n8n-workflow';

import { appInputsFields } from '../shared/app/description';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { customIdempotencyKey, extraData, inputValues, keyMode, sendPartnerKey } from '../shared/descriptions/jobFields';
import { inputLocator, inputs } from '../shared/inputs/description';
import { reference } from '../shared/inputFiles/description';
import { workflowFields } from '../shared/workflows/description';

const inputFiles: INodeProperties = {
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
				inputLocator('searchFileInputs', 'Where the workflow takes the file', 'e.g. 1.image or Load Image · image'),
				{ ...reference, description: 'The reference that Comfy Upload Asset outputs' },
			],
		},
	],
};

const FOR_MODELS =
	'Submits a ComfyUI workflow, which makes or changes images, videos, audio or texts, and does not wait for it. Give a value for every input that is asked for. Answers JSON with the job_id: ask with it, by a tool that waits for jobs, for the end. Every call makes a new job, which may cost money: call once for each wish.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...workflowFields,
	...appInputsFields,
	inputs,
	inputFiles,
	options(undefined, [
		{
			displayName: 'Cancel Jobs When Execution Stops',
			name: 'cancelOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether jobs of this node are canceled in the service when the execution is stopped while it submits',
		},
		{
			...concurrency,
			description:
				'How many items are worked on at the same time. Above 1, jobs may enter the queue in another order than the items; the results keep the order.',
		},
		customIdempotencyKey,
		extraData,
		inputValues,
		keyMode,
		interfaceOption,
		{
			displayName: 'Keep Trying For (Seconds)',
			name: 'keepTryingForSeconds',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 3600, numberPrecision: 0 },
			default: 60,
			description: 'How long to try again while the queue is full, the deployment is starting, or requests are limited',
		},
		sendPartnerKey,
	]),
];
