/** The options of nodes that submit a workflow. */
import { withKeys } from '../../descriptions/common';
import { choiceOption, option, switchOption, withFields } from '../../options';
import { customKey } from '../../submission/keys';

export const submitOptions = {
	customKey: withFields(customKey, (field) => ({ ...field, displayOptions: withKeys })),
	/** Whether the outputs of ComfyUI contain the workflow as its editor opens it. */
	embedWorkflow: choiceOption({
		displayName: 'Embed Workflow In Outputs',
		name: 'embedWorkflow',
		options: [
			{ name: 'Yes', value: 'yes', description: 'A saved file opens in the editor with the values of its item' },
			{ name: 'Without Prompts And Notes', value: 'withoutTexts', description: 'The same, but all texts and notes are empty' },
			{ name: 'No', value: 'no' },
		],
		default: 'yes',
		description:
			'Whether ComfyUI writes the workflow of its editor into the files that it saves. Everyone who has a file can read it. Only for workflows in the format of the editor.',
		hint: 'ComfyUI also writes the values of all nodes into its files, unless it runs with --disable-metadata',
	}),
	/** An object or its JSON text. */
	extraData: option(
		{
			displayName: 'Extra Data',
			name: 'extraData',
			type: 'json',
			default: '{}',
			description:
				'Additional data to send with the workflow as extra_data. The service does not store it. ComfyUI keeps it in its history.',
		},
		(entered) => entered,
	),
	/** An object of values by node and input, or its JSON text. */
	inputValues: option(
		{
			displayName: 'Input Values',
			name: 'inputValues',
			type: 'json',
			default: '{}',
			description: 'Values for inputs of the workflow, sent with the types that you enter. Rows of Inputs override them.',
			hint: 'Enter the ID or title of a node, then its inputs. Example: {"6": {"text": "a red fox"}}',
		},
		(entered = {}) => entered,
	),
	keyMode: choiceOption({
		displayName: 'Idempotency Key',
		name: 'idempotencyKeyMode',
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
	}),
	/** Where the job waits in the queue of an own ComfyUI. */
	queuePosition: choiceOption({
		displayName: 'Queue Position',
		name: 'queuePosition',
		options: [
			{ name: 'Normal', value: 'normal', description: 'After the jobs that are already in the queue' },
			{
				name: 'Front',
				value: 'front',
				description: 'Before all waiting jobs. A running job continues. Of several jobs at the front, the newest one runs first.',
			},
		],
		default: 'normal',
		description: 'Where a job waits in the queue of your ComfyUI. Only with Self-Hosted, and not through the API proxy.',
	}),
	/** `ifFree`: only on an own ComfyUI, and only workflows without partner nodes. `always`: also where a run is billed. */
	runFailedJobsAgain: choiceOption({
		displayName: 'Run Failed Jobs Again',
		name: 'runFailedJobsAgain',
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
	}),
	sendPartnerKey: switchOption({
		displayName: 'Send Key To Partner Nodes',
		name: 'sendPartnerKey',
		default: false,
		description:
			'Whether to send Partner API Key and Partner Auth Token of the credential with the job. Workflows with partner nodes (API nodes) need one of them.',
	}),
	/** Only for a pool of servers. */
	whenLost: choiceOption({
		displayName: 'When A Server Is Lost',
		name: 'whenServerLost',
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
	}),
};
