import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { EVENT_TYPES, type EventType } from '../../client';
import { authentication, filterFields, optionFields } from '../shared/descriptions/common';
import type { Option } from '../shared/options';
import { onEveryEvent, previewField, triggerOptions } from './options';

const KIND_NAMES: Record<EventType, string> = {
	cached: 'Nodes Skipped',
	finished: 'Job Finished',
	log: 'Log',
	milestone: 'Milestone',
	node: 'Node Started',
	notification: 'Notification',
	other: 'Other',
	output: 'Output',
	preview: 'Preview',
	progress: 'Progress',
	queue: 'Queue',
	status: 'Job Status',
	text: 'Node Text',
};

const hostedAccount = {
	name: 'Hosted Account',
	value: 'hostedAccount',
	description: 'All jobs of the account, from the v1 interface at Hosted URL',
};
const jobs = { name: 'Jobs', value: 'jobs', description: 'Jobs with the IDs that you enter, or all jobs that the service lists' };
const engine = { name: 'Engine', value: 'engine', description: 'All jobs of your ComfyUI, from its queue and history' };

const source: INodeProperties[] = [
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [hostedAccount, jobs],
		default: 'hostedAccount',
		description: 'Where the events come from',
		displayOptions: { show: { authentication: ['comfyApi'] } },
	},
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [engine, jobs],
		default: 'engine',
		description: 'Where the events come from',
		displayOptions: { show: { authentication: ['comfySelfHostedApi'] } },
	},
];

const jobsToWatch: INodeProperties[] = [
	{
		displayName: 'Jobs to Watch',
		name: 'jobsToWatch',
		type: 'options',
		options: [
			{
				name: 'All Jobs',
				value: 'all',
				description: 'All jobs that the service lists. Available for deployments and self-hosted servers.',
			},
			{ name: 'Listed Jobs', value: 'listed', description: 'Jobs with the IDs that you enter' },
		],
		default: 'all',
		displayOptions: { show: { source: ['jobs'] } },
	},
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2',
		description: 'IDs of the jobs to watch. Separate several with commas.',
		displayOptions: { show: { source: ['jobs'], jobsToWatch: ['listed'] } },
	},
];

/** All sources share one list. With two lists of one name, n8n would mark a value of the hidden one as wrong. */
const deliver: INodeProperties = {
	displayName: 'Trigger On',
	name: 'deliver',
	type: 'options',
	options: [
		{
			name: 'Milestones',
			value: 'milestones',
			description: 'Each time a job reaches one of the percentages, and when it finishes. With the source Engine, only when it finishes.',
		},
		{ name: 'Each Output', value: 'eachOutput', description: 'For each output file of a job, and when the job finishes' },
		{ name: 'Job Finished', value: 'onlyWhenFinished', description: 'Once for each job, when it finishes' },
		{ name: 'Every Event', value: 'everyEvent', description: 'All events. Frequent events are limited by Least Time Between Events.' },
	],
	default: 'onlyWhenFinished',
	description: 'Event that starts an execution',
};

const filters: INodeProperties = filterFields(undefined, [
	{
		displayName: 'Event Kinds',
		name: 'eventKinds',
		type: 'multiOptions',
		options: EVENT_TYPES.map((kind) => ({ name: KIND_NAMES[kind], value: kind })).sort((one, other) => one.name.localeCompare(other.name)),
		default: [],
		description: 'Start an execution only for these kinds of events',
		displayOptions: onEveryEvent,
	},
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2',
		description: 'Start an execution only for these jobs. Separate several with commas.',
		displayOptions: { hide: { '/source': ['jobs'] } },
	},
	{
		displayName: 'Node IDs',
		name: 'nodeIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. 9, 12',
		description:
			'Start an execution only for events of these workflow nodes. Separate several with commas. Milestones and finished jobs belong to no node and always pass.',
	},
]);

/** The texts that the editor shows while there are no items. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for ComfyUI jobs',
	executionsHelp: {
		inactive:
			'<b>To test the trigger</b>, click the button and then submit a job from ComfyUI or from another workflow. The trigger waits for the event in Trigger On. It ignores jobs that finished before.<br /><br /><b>To use the trigger</b>, publish the workflow. Each event then starts an execution, which you find in the executions list.',
		active:
			'<b>To test the trigger</b>, click the button and then submit a job from ComfyUI or from another workflow. The trigger waits for the event in Trigger On.<br /><br /><b>While the workflow is published</b>, the trigger listens all the time. Its executions are in the <a data-key="executions">executions list</a>, not here.',
	},
	activationHint: 'To use the trigger, publish the workflow. It then listens all the time.',
};

export const description: INodeProperties[] = [
	authentication,
	...source,
	...jobsToWatch,
	deliver,
	{
		displayName:
			'ComfyUI sends the progress of a job only to the client that submitted it. With the source Engine, the trigger reports only that jobs wait, run and finish.',
		name: 'engineNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { source: ['engine'] } },
	},
	{
		displayName: 'Milestones (Percent)',
		name: 'milestones',
		type: 'string',
		default: '25, 50, 75',
		required: true,
		description: 'Percentages of the whole job, from 1 to 99. Separate several with commas.',
		displayOptions: { show: { deliver: ['milestones'] } },
	},
	filters,
	optionFields(undefined, [...Object.values<Option>(triggerOptions), previewField]),
];
