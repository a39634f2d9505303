import type { INodeProperties } from 'n8n-workflow';

import { toolDescription, withoutTool } from '../shared/descriptions/asTool';
import { authentication, concurrency, interfaceOption, options, reportLostServer } from '../shared/descriptions/common';
import { jobIdFields } from '../shared/descriptions/jobFields';
import { freeMemoryOptions } from '../shared/jobs/freeMemoryOptions';
import { submitOptions } from '../shared/jobs/submit/options';
import { waitEndOptions, maxWait } from '../shared/jobs/waitOptions';
import { type Option, switchOption, withFields } from '../shared/options';

export const waitOptions = {
	cancelOnStop: switchOption({
		displayName: 'Cancel Job When Execution Stops',
		name: 'cancelOnStop',
		default: true,
		description: 'Whether to cancel the job in the service if the execution is stopped, to avoid further cost',
	}),
	runFailedJobsAgain: withFields(submitOptions.runFailedJobsAgain, (field) =>
		withoutTool({
			...field,
			hint: 'Sends the workflow of the job again as the service stores it, without Extra Data. If ComfyUI was restarted, it no longer has the workflow.',
		}),
	),
	/** For a job that runs again. */
	sendPartnerKey: withFields(submitOptions.sendPartnerKey, (field) =>
		withoutTool({
			...field,
			description: 'Whether to send Partner API Key and Partner Auth Token of the credential with a job that runs again',
		}),
	),
};

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
	...maxWait.fields,
	options(undefined, [
		...[waitEndOptions, freeMemoryOptions, waitOptions].flatMap((group) => Object.values<Option>(group)),
		concurrency,
		interfaceOption,
		reportLostServer,
	]),
];
