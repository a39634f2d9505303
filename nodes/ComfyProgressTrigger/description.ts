import type { INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { EVENT_TYPES, type EventType } from '../../client';
import { authentication, filterFields, optionFields } from '../shared/descriptions/common';

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
	description: 'All jobs of the account, over the v1 interface at Hosted URL',
};
const jobs = { name: 'Jobs', value: 'jobs', description: 'Jobs that you name, or all that the service lists' };
const engine = { name: 'Engine', value: 'engine', description: 'All jobs of your ComfyUI, by its queue and history' };

const source: INodeProperties[] = [
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [hostedAccount, jobs],
		default: 'hostedAccount',
		description: 'Where to listen',
		displayOptions: { show: { authentication: ['comfyApi'] } },
	},
	{
		displayName: 'Source',
		name: 'source',
		type: 'options',
		options: [engine, jobs],
		default: 'engine',
		description: 'Where to listen',
		displayOptions: { show: { authentication: ['comfySelfHostedApi'] } },
	},
];

const jobsToWatch: INodeProperties[] = [
	{
		displayName: 'Jobs to Watch',
		name: 'jobsToWatch',
		type: 'options',
		options: [
			{ name: 'All Jobs', value: 'all', description: 'Where the service lists jobs: deployments and self-hosted servers' },
			{ name: 'Listed Jobs', value: 'listed', description: 'The jobs with these IDs' },
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
		description: 'The jobs to watch. Separate several by commas.',
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
			description: 'When a job passes one of the percent steps, and when it has ended; with the source Engine only the ends',
		},
		{ name: 'Each Output', value: 'eachOutput', description: 'For each file a job makes, and when it has ended' },
		{ name: 'Job Finished', value: 'onlyWhenFinished', description: 'Once for each job, when it has ended' },
		{ name: 'Every Event', value: 'everyEvent', description: 'Whatever is told, at most once in a while for each kind' },
	],
	default: 'onlyWhenFinished',
	description: 'What starts an execution',
};

const everyEvent = { show: { '/deliver': ['everyEvent'] } };

const filters: INodeProperties = filterFields(undefined, [
	{
		displayName: 'Event Kinds',
		name: 'eventKinds',
		type: 'multiOptions',
		options: EVENT_TYPES.map((kind) => ({ name: KIND_NAMES[kind], value: kind })).sort((one, other) => one.name.localeCompare(other.name)),
		default: [],
		description: 'Only these kinds of events',
		displayOptions: everyEvent,
	},
	{
		displayName: 'Job IDs',
		name: 'jobIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2',
		description: 'Only these jobs. Separate several by commas.',
		displayOptions: { hide: { '/source': ['jobs'] } },
	},
	{
		displayName: 'Node IDs',
		name: 'nodeIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. 9, 12',
		description: 'Only events of these workflow nodes; milestones and ends of jobs belong to no node and pass. Separate several by commas.',
	},
]);

/** The texts that the editor shows while there are no items. */
export const triggerPanel: INodeTypeDescription['triggerPanel'] = {
	header: 'Listen for ComfyUI jobs',
	executionsHelp: {
		inactive:
			'<b>To try it out</b>, click the button: it listens until a job gets on as Trigger On says. Submit a job meanwhile, from ComfyUI or from another workflow; what ended before does not count.<br /><br /><b>Once it is right</b>, publish the workflow. It then starts by itself each time, and its executions are in the executions list.',
		active:
			'<b>To try it out</b>, click the button: it listens until a job gets on as Trigger On says. Submit a job meanwhile, from ComfyUI or from another workflow.<br /><br /><b>It listens by itself</b> while the workflow is published; what it starts is in the <a data-key="executions">executions list</a>, not here.',
	},
	activationHint: 'Once it is right, publish the workflow: it then listens by itself.',
};

export const description: INodeProperties[] = [
	authentication,
	...source,
	...jobsToWatch,
	deliver,
	{
		displayName: 'ComfyUI tells the progress of a job only to whoever submitted it. What can be told are jobs that wait, run and end.',
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
		description: 'Percent of the whole job, 1 to 99. Separate several by commas.',
		displayOptions: { show: { deliver: ['milestones'] } },
	},
	filters,
	optionFields(undefined, [
		{
			displayName: 'Also Each Output',
			name: 'alsoOutputs',
			type: 'boolean',
			default: true,
			description: 'Whether each file that a job makes starts an execution too. Without this option it does not.',
			displayOptions: { show: { '/deliver': ['milestones'] } },
		},
		{
			displayName: 'Include Previews',
			name: 'includePreviews',
			type: 'boolean',
			default: true,
			description: 'Whether preview pictures are added as files, if they are not too large. Without this option they are not.',
			displayOptions: everyEvent,
		},
		{
			displayName: 'Include Raw Event',
			name: 'includeRawEvent',
			type: 'boolean',
			default: true,
			description: 'Whether to add what the service sent, as it came, in the field "event". Without this option it is left out.',
		},
		{
			displayName: 'Least Time Between Events (Seconds)',
			name: 'leastSecondsBetween',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 1,
			description: 'Progress, previews and the like of one job are told at most this often, the newest each time',
			displayOptions: everyEvent,
		},
		{
			displayName: 'Put Preview In Field',
			name: 'binaryPropertyName',
			type: 'string',
			default: 'data',
			hint: 'The name of the output binary field to put a preview in',
			displayOptions: everyEvent,
		},
	]),
];
