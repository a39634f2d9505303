import type { INodeProperties } from 'n8n-workflow';

import { authentication, concurrency, interfaceOption, options } from '../shared/descriptions/common';
import { cancelOnTimeout, maxWaitMinutes } from '../shared/descriptions/jobOptions';
import { jobId } from '../shared/jobId';

export const description: INodeProperties[] = [
	authentication,
	jobId,
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
	maxWaitMinutes,
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
