import type { INodeProperties } from 'n8n-workflow';

import { enteredText, locatorValue, type ReadParameter } from '../parameters';
import { withToolDefault } from './asTool';
import { concurrency, fromList, withKeys } from './common';

/** Fields of operations on jobs that several nodes offer. */

/** A resource locator for a job: from the list of the service, or by its id. */
export const jobModes: Pick<INodeProperties, 'modes'> = {
	modes: [
		fromList('searchJobs', 'Select a job…'),
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2' },
	],
};

const jobId: INodeProperties = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'id', value: '={{ $json.job_id }}' },
	description: 'The job, as Comfy Submit Workflow outputs it in job_id',
	...jobModes,
};

/** In a tool, the model gives the id. */
const FROM_MODEL = "={{ $fromAI('job_id', 'The job_id of the job, exactly as a tool has answered it', 'string') }}";

export const jobIdFields = (changes: Partial<INodeProperties> = {}): INodeProperties[] =>
	withToolDefault({ ...jobId, ...changes }, { default: { mode: 'id', value: FROM_MODEL } });

/** @throws EmptyField if there is no id. */
export const readJobId = (read: ReadParameter): string => enteredText(locatorValue(read<unknown>('jobId')), 'Job ID');

export const inputValues: INodeProperties = {
	displayName: 'Input Values',
	name: 'inputValues',
	type: 'json',
	default: '{}',
	description: 'Values to put into the workflow, by node and input, as they are: rows of Inputs win over them',
	hint: 'By ID or title of the node and name of its input, e.g. {"6": {"text": "a red fox"}}',
};

export const extraData: INodeProperties = {
	displayName: 'Extra Data',
	name: 'extraData',
	type: 'json',
	default: '{}',
	description: 'Sent beside the workflow as extra_data. The service does not store it; ComfyUI itself keeps it in its history.',
};

export const sendPartnerKey: INodeProperties = {
	displayName: 'Send Key To Partner Nodes',
	name: 'sendPartnerKey',
	type: 'boolean',
	default: false,
	description: 'Whether to send the credential’s partner key with the job, for workflows with partner (API) nodes',
};

export const keyMode: INodeProperties = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKeyMode',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'One key for each item, the same in every retry, also after n8n itself died: never pays twice',
		},
		{ name: 'Custom', value: 'custom', description: 'A key of your own for each item, e.g. an order number' },
		{ name: 'None', value: 'none', description: 'No key: where an answer is lost, nothing is sent again' },
	],
	default: 'automatic',
	description: 'What tells the service that two submissions are the same one',
	displayOptions: withKeys,
};

export const customIdempotencyKey: INodeProperties = {
	displayName: 'Custom Idempotency Key',
	name: 'idempotencyKey',
	type: 'string',
	typeOptions: { password: false },
	default: '',
	placeholder: 'e.g. order-{{ $json.order_id }}',
	description: 'Different for each item. Used only where Idempotency Key is Custom.',
	displayOptions: withKeys,
};

const DEFAULT_MAX_WAIT_MINUTES = 60;
/** A person waits in the chat. The agent can ask for the job again. */
const TOOL_MAX_WAIT_MINUTES = 5;

export const defaultMaxWaitMinutes = (isTool: boolean): number => (isTool ? TOOL_MAX_WAIT_MINUTES : DEFAULT_MAX_WAIT_MINUTES);

export const maxWaitMinutes: INodeProperties = {
	displayName: 'Max Wait (Minutes)',
	name: 'maxWaitMinutes',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_MAX_WAIT_MINUTES,
	description:
		'After this time the job goes to the output Still Running. n8n’s own execution timeout, if it is shorter, ends the wait first.',
};

export const maxWaitFields = withToolDefault(maxWaitMinutes, {
	default: TOOL_MAX_WAIT_MINUTES,
	description:
		'After this time the model is told that the job goes on, and the job_id to ask again with. n8n’s own execution timeout, if it is shorter, ends the wait first.',
});

export const cancelOnTimeout: INodeProperties = {
	displayName: 'Cancel Job After Max Wait',
	name: 'cancelOnTimeout',
	type: 'boolean',
	default: false,
	description: 'Whether to cancel the job in the service when Max Wait is over',
};

export const outputMode: INodeProperties = {
	displayName: 'Output Mode',
	name: 'outputMode',
	type: 'options',
	options: [
		{ name: 'One Item per Output', value: 'itemPerOutput' },
		{ name: 'All Outputs on One Item', value: 'singleItem' },
	],
	default: 'itemPerOutput',
};

export const binaryPropertyName: INodeProperties = {
	displayName: 'Put Output File In Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	hint: 'The name of the output binary field to put the file in; with all outputs on one item: data_0, data_1, …',
};

export const jobsInFlight: INodeProperties = {
	...concurrency,
	description: 'How many jobs wait or run at the same time; the results keep the order of the items',
};
