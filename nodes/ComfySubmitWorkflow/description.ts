import type { INodeProperties } from 'n8n-workflow';

import { appInputsFields } from '../shared/app/description';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import {
	customIdempotencyKey,
	extraData,
	inputValues,
	keyMode,
	runFailedJobsAgain,
	sendPartnerKey,
	whenServerLost,
} from '../shared/descriptions/jobFields';
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
	description: 'Uploaded files for the file inputs of the workflow',
	options: [
		{
			displayName: 'File',
			name: 'values',
			values: [
				inputLocator('searchFileInputs', 'Input of the workflow that receives the file', 'e.g. 1.image or Load Image · image'),
				{ ...reference, description: 'Reference that Comfy Upload Asset returns' },
			],
		},
	],
};

const FOR_MODELS =
	'Submits a ComfyUI workflow, which generates or edits images, videos, audio or text, and does not wait for the result. Enter a value for each requested input. Returns JSON with the job_id: use it with a tool that waits for jobs. Each call creates a new job, which may cost money: call this tool once for each request of the user.';

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
			description: 'Whether to cancel the jobs of this node in the service if the execution is stopped while the node submits',
		},
		{
			...concurrency,
			description:
				'How many items to process at the same time. If this is above 1, the order of jobs in the queue may differ from the order of items. The results keep the order of the items.',
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
			description: 'How long to retry if the queue is full, the deployment is starting, or the service limits requests',
		},
		reportLostServer,
		runFailedJobsAgain,
		sendPartnerKey,
		whenServerLost,
	]),
];
