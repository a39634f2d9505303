import type { INodeProperties } from 'n8n-workflow';

import { toolDescription, withoutTool } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import {
	cancelOnTimeout,
	freeMemory,
	freeMemoryAnyway,
	freeMemoryWait,
	ifStillRunningNotConnected,
	jobIdFields,
	maxWaitFields,
	runFailedJobsAgain,
	sendPartnerKey,
} from '../shared/descriptions/jobFields';

const FOR_MODELS =
	'Waits for a limited time until a ComfyUI job finishes. Enter the job_id exactly as another tool returned it. Returns JSON: status, and the outputs with name, type and size. Text outputs include their text. If the status is queued or running, the job is not finished: call this tool again, or inform the user that the job takes longer. It creates no new job and costs nothing.';

export const description: INodeProperties[] = [
	toolDescription(FOR_MODELS),
	authentication,
	...jobIdFields(),
	{
		displayName: 'How To Wait',
		// n8n shows the options of a parameter named "mode" as actions of the node.
		name: 'howToWait',
		type: 'options',
		options: [
			{
				name: 'Live',
				value: 'live',
				description: 'Receive live events and return as soon as the job finishes. If live events are not available, the node polls.',
			},
			{ name: 'Polling', value: 'polling', description: 'Request the status every few seconds' },
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
			description: 'Whether to cancel the job in the service if the execution is stopped, to avoid further cost',
		},
		concurrency,
		freeMemory,
		freeMemoryAnyway,
		ifStillRunningNotConnected,
		interfaceOption,
		reportLostServer,
		withoutTool({
			...runFailedJobsAgain,
			hint: 'Sends the workflow of the job again as the service stores it, without Extra Data. If ComfyUI was restarted, it no longer has the workflow.',
		}),
		withoutTool({
			...sendPartnerKey,
			description: 'Whether to send Partner API Key and Partner Auth Token of the credential with a job that runs again',
		}),
		freeMemoryWait,
	]),
];
