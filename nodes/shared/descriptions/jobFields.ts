import type { INodeProperties } from 'n8n-workflow';

import { enteredText, locatorValue, type ReadParameter } from '../parameters';
import { withoutTool, withToolDefault } from './asTool';
import { concurrency, fromList, withKeys } from './common';

/** Fields of operations on jobs that several nodes offer. */

/** A resource locator for a job: from the list of the service, or by its ID. */
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
	description: 'ID of the job, which Comfy Submit Workflow returns in job_id',
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
	description: 'Values for inputs of the workflow, sent with the types that you enter. Rows of Inputs override them.',
	hint: 'Enter the ID or title of a node, then its inputs. Example: {"6": {"text": "a red fox"}}',
};

export const extraData: INodeProperties = {
	displayName: 'Extra Data',
	name: 'extraData',
	type: 'json',
	default: '{}',
	description: 'Additional data to send with the workflow as extra_data. The service does not store it. ComfyUI keeps it in its history.',
};

export const sendPartnerKey: INodeProperties = {
	displayName: 'Send Key To Partner Nodes',
	name: 'sendPartnerKey',
	type: 'boolean',
	default: false,
	description:
		'Whether to send Partner API Key and Partner Auth Token of the credential with the job. Workflows with partner nodes (API nodes) need one of them.',
};

export const keyMode: INodeProperties = {
	displayName: 'Idempotency Key',
	name: 'idempotencyKeyMode',
	type: 'options',
	options: [
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'One key for each item. A retry uses the same key, also after n8n crashes, so a job is never paid twice.',
		},
		{ name: 'Custom', value: 'custom', description: 'Your own key for each item, for example an order number' },
		{ name: 'None', value: 'none', description: 'No key. If the response is lost, the node does not submit the job again.' },
	],
	default: 'automatic',
	description: 'Key by which the service recognizes a repeated submission',
	displayOptions: withKeys,
};

export const customIdempotencyKey: INodeProperties = {
	displayName: 'Custom Idempotency Key',
	name: 'idempotencyKey',
	type: 'string',
	typeOptions: { password: false },
	default: '',
	placeholder: 'e.g. order-{{ $json.order_id }}',
	description: 'Enter a different key for each item. Used only if Idempotency Key is Custom.',
	displayOptions: withKeys,
};

const DEFAULT_MAX_WAIT_MINUTES = 60;
/** A person waits in the chat. The agent can request the job again. */
const TOOL_MAX_WAIT_MINUTES = 5;

export const defaultMaxWaitMinutes = (isTool: boolean): number => (isTool ? TOOL_MAX_WAIT_MINUTES : DEFAULT_MAX_WAIT_MINUTES);

export const maxWaitMinutes: INodeProperties = {
	displayName: 'Max Wait (Minutes)',
	name: 'maxWaitMinutes',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_MAX_WAIT_MINUTES,
	description:
		'How long to wait for the job. After this time, the item leaves through the output Still Running. If this output is not connected, the item fails with the job ID. If the execution timeout of n8n is shorter, it ends the wait first.',
};

export const maxWaitFields = withToolDefault(maxWaitMinutes, {
	default: TOOL_MAX_WAIT_MINUTES,
	description:
		'How long to wait for the job. After this time, the agent receives the job_id and can request the job again. If the execution timeout of n8n is shorter, it ends the wait first.',
});

export const cancelOnTimeout: INodeProperties = {
	displayName: 'Cancel Job After Max Wait',
	name: 'cancelOnTimeout',
	type: 'boolean',
	default: false,
	description: 'Whether to cancel the job in the service after Max Wait',
};

export const ifStillRunningNotConnected = withoutTool({
	displayName: 'If Still Running Is Not Connected',
	name: 'ifStillRunningNotConnected',
	type: 'options',
	options: [
		{ name: 'Fail', value: 'fail', description: 'The item fails with the job ID. A retry of the execution waits for the same job again.' },
		{ name: 'Continue', value: 'continue', description: 'The execution continues without the item. The job continues in the service.' },
	],
	default: 'fail',
	description: 'What to do with an item whose job takes longer than Max Wait, if no node is connected to the output Still Running',
});

export const freeMemory: INodeProperties = {
	displayName: 'Free Memory Afterwards',
	name: 'freeMemory',
	type: 'options',
	options: [
		{ name: 'No', value: 'no', description: 'ComfyUI keeps models in memory, so the next job starts sooner' },
		{
			name: 'When This Run Is Done',
			value: 'whenDone',
			description: 'Once after the last job of this node, also if jobs fail or you stop the execution',
		},
		{ name: 'After Each Job', value: 'afterEachJob', description: 'After each job of this node. The next job must load its models again.' },
	],
	default: 'no',
	description:
		'Whether your ComfyUI unloads its models and drops its cached results after the jobs. The node waits until the memory is free, so that other programs, for example Ollama, can use it. Only with Self-Hosted. If ComfyUI is behind the API proxy, the credential needs Engine Address. If the credential contains several ComfyUIs, only those that ran jobs of this node free their memory.',
};

export const freeMemoryAnyway: INodeProperties = {
	displayName: 'Free Memory Even If Others Wait',
	name: 'freeMemoryEvenIfOthersWait',
	type: 'boolean',
	default: false,
	description:
		'Whether to free memory even if ComfyUI has other jobs that are queued or running. A running job continues, and the memory is freed when it ends. The jobs after it must load their models again.',
};

export const DEFAULT_FREE_MEMORY_WAIT_SECONDS = 20;

export const freeMemoryWait: INodeProperties = {
	displayName: 'Wait For Free Memory (Seconds)',
	name: 'freeMemoryWaitSeconds',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_FREE_MEMORY_WAIT_SECONDS,
	description:
		'How long to wait until the memory of the GPU is free. ComfyUI needs up to 8 seconds to unload its models. The node continues as soon as the free memory no longer changes. 0 does not wait.',
};

export const whenServerLost: INodeProperties = {
	displayName: 'When A Server Is Lost',
	name: 'whenServerLost',
	type: 'options',
	options: [
		{
			name: 'Report',
			value: 'report',
			description: 'The item fails and names the server. A retry finds the job when the server responds again.',
		},
		{
			name: 'Run Elsewhere',
			value: 'runElsewhere',
			description:
				'After 10 seconds without a response, another server runs the job. The job may then run twice, which costs time. Workflows with partner nodes are never run twice.',
		},
	],
	default: 'report',
	description: 'What to do if the server that has a job stops responding. Only for credentials with More Servers.',
};

export const runFailedJobsAgain: INodeProperties = {
	displayName: 'Run Failed Jobs Again',
	name: 'runFailedJobsAgain',
	type: 'options',
	options: [
		{ name: 'No', value: 'no', description: 'A retry reads the failed job again' },
		{
			name: 'If It Costs Nothing',
			value: 'ifFree',
			description: 'Only on your own ComfyUI, and only workflows without partner nodes',
		},
		{ name: 'Always, Even If Billed Again', value: 'always', description: 'You pay for each run' },
	],
	default: 'no',
	description:
		'What Retry On Fail and a retry of the execution do with a job that failed, ran out of memory, or was lost by the service. A job that runs again has the same seeds. Jobs that a person canceled never run again.',
	hint: 'With a Custom idempotency key, no job runs again',
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
	description: 'How to return a job that has several outputs',
};

export const binaryPropertyName: INodeProperties = {
	displayName: 'Put Output File In Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	hint: 'The name of the output binary field to put the file in. If one item has several files, their fields are data_0, data_1, and so on.',
};

export const jobsInFlight: INodeProperties = {
	...concurrency,
	description: 'How many jobs may wait or run at the same time. The results keep the order of the items.',
};
