import type { INodeProperties } from 'n8n-workflow';

import { enteredText, locatorValue, type ReadParameter } from '../parameters';
import { choiceOption, textOption, withFields } from '../options';
import { withToolDefault } from './asTool';
import { concurrency, fromList } from './common';

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

/** A field of its own in one node, and one of *Options* in another. */
export const outputMode = choiceOption(
	{
		displayName: 'Output Mode',
		name: 'outputMode',
		options: [
			{ name: 'One Item per Output', value: 'itemPerOutput' },
			{ name: 'All Outputs on One Item', value: 'singleItem' },
		],
		default: 'itemPerOutput',
		description: 'How to return a job that has several outputs',
	},
	'',
);

export const binaryField = textOption({
	displayName: 'Put Output File In Field',
	name: 'binaryPropertyName',
	default: 'data',
	hint: 'The name of the output binary field to put the file in. If one item has several files, their fields are data_0, data_1, and so on.',
});

export const jobsInFlight = withFields(concurrency, (field) => ({
	...field,
	description: 'How many jobs may wait or run at the same time. The results keep the order of the items.',
}));
