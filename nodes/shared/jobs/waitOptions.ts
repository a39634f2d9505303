/** The options of nodes that wait for a job. */
import { withoutTool, withToolDefault } from '../descriptions/asTool';
import { choiceOption, numberOption, switchOption, unlessAddedToTool, withFields } from '../options';

/** A person waits in the chat. The agent can request the job again. */
const TOOL_MAX_WAIT_MINUTES = 5;

const MINUTE_MS = 60_000;

const maxWaitOfNode = numberOption(
	{
		displayName: 'Max Wait (Minutes)',
		name: 'maxWaitMinutes',
		typeOptions: { minValue: 0 },
		default: 60,
		description:
			'How long to wait for the job. After this time, the item leaves through the output Still Running. If this output is not connected, the item fails with the job ID. If the execution timeout of n8n is shorter, it ends the wait first.',
	},
	{ unit: MINUTE_MS },
);

/** *Max Wait (Minutes)*, as milliseconds. */
export const maxWait = unlessAddedToTool(
	withFields(maxWaitOfNode, (field) =>
		withToolDefault(field, {
			default: TOOL_MAX_WAIT_MINUTES,
			description:
				'How long to wait for the job. After this time, the agent receives the job_id and can request the job again. If the execution timeout of n8n is shorter, it ends the wait first.',
		}),
	),
	TOOL_MAX_WAIT_MINUTES,
);

/** What happens when the wait ends without a result. */
export const waitEndOptions = {
	/** Whether to cancel a job that has not ended after Max Wait. */
	cancelOnTimeout: switchOption({
		displayName: 'Cancel Job After Max Wait',
		name: 'cancelOnTimeout',
		default: false,
		description: 'Whether to cancel the job in the service after Max Wait',
	}),
	/** What to do with an item whose job has not ended after Max Wait, if no node is connected to Still Running. */
	ifUnconnected: withFields(
		choiceOption({
			displayName: 'If Still Running Is Not Connected',
			name: 'ifStillRunningNotConnected',
			options: [
				{
					name: 'Fail',
					value: 'fail',
					description: 'The item fails with the job ID. A retry of the execution waits for the same job again.',
				},
				{ name: 'Continue', value: 'continue', description: 'The execution continues without the item. The job continues in the service.' },
			],
			default: 'fail',
			description: 'What to do with an item whose job takes longer than Max Wait, if no node is connected to the output Still Running',
		}),
		withoutTool,
	),
	logOnFailure: withFields(
		switchOption({
			displayName: 'Log On Failure',
			name: 'logOnFailure',
			default: false,
			description:
				'Whether to add the last 40 lines of the log to the item of a failed job, in the field log. The log of your own ComfyUI also contains lines of other jobs.',
		}),
		withoutTool,
	),
};
