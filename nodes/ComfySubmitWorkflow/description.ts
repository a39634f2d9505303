import type { INodeProperties } from 'n8n-workflow';

import { appInputsFields } from '../shared/app/description';
import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import { inputLocator, inputs } from '../shared/inputs/description';
import { reference } from '../shared/inputFiles/description';
import { submitOptions } from '../shared/jobs/submit/options';
import { numberOption, type Option, switchOption, withFields } from '../shared/options';
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

export const cancelOnStop = switchOption({
	displayName: 'Cancel Jobs When Execution Stops',
	name: 'cancelOnStop',
	default: true,
	description: 'Whether to cancel the jobs of this node in the service if the execution is stopped while the node submits',
});

export const keepTrying = numberOption(
	{
		displayName: 'Keep Trying For (Seconds)',
		name: 'keepTryingForSeconds',
		typeOptions: { minValue: 0, maxValue: 3600, numberPrecision: 0 },
		default: 60,
		description: 'How long to retry if the queue is full, the deployment is starting, or the service limits requests',
	},
	{ unit: 1_000 },
);

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
		...Object.values<Option>(submitOptions),
		cancelOnStop,
		withFields(concurrency, (field) => ({
			...field,
			description:
				'How many items to process at the same time. If this is above 1, the order of jobs in the queue may differ from the order of items. The results keep the order of the items.',
		})),
		interfaceOption,
		keepTrying,
		reportLostServer,
	]),
];
