import type { INodeProperties } from 'n8n-workflow';

import { toolDescription } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { cancelOnTimeout, jobIdFields, maxWaitFields } from '../shared/descriptions/jobFields';

const FOR_MODELS =
	'Waits for a limited time until a ComfyUI job has ended. Give the job_id exactly as another tool has answered it. Answers JSON: status, and the outputs with name, type, size and, of texts, the text. With status queued or running the job goes on: ask once more, or tell the person that it takes longer. It makes no new job and costs nothing, however often it is called.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...jobIdFields(),
	{
		displayName: 'How To Wait',
		// Options of a parameter named "mode" are drawn as actions of the node.
		name: 'howToWait',
		type: 'options',
		options: [
			{
				name: 'Live',
				value: 'live',
				description: 'Listen to the job and return the moment it ends; asks from time to time where listening is not possible',
			},
			{ name: 'Polling', value: 'polling', description: 'Ask every few seconds' },
		],
		default: 'live',
	},
	...maxWaitFields,
	options(undefined, [
		cancelOnTimeout,
		{
			displayName: 'Cancel Job When Execution Stops',
			name: 'cancelOnStop',
			type: 'boolean',
			default: true,
			description: 'Whether to cancel the job in the service when the execution is stopped, so that it costs nothing more',
		},
		concurrency,
		interfaceOption,
	]),
];
