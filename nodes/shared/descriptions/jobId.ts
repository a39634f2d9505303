import type { INodeProperties } from 'n8n-workflow';

import { withToolDefault } from './asTool';
import { fromList } from './common';
import { locatorValue, enteredText, type ReadParameter } from '../parameters';

/** A job by the list of the service's, or by its id. */
export const byJob: Pick<INodeProperties, 'modes'> = {
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
	...byJob,
};

/** As a tool: the model gives it. */
const ASKED = "={{ $fromAI('job_id', 'The job_id of the job, exactly as a tool has answered it', 'string') }}";

export const jobIdFields = (changes: Partial<INodeProperties> = {}): INodeProperties[] =>
	withToolDefault({ ...jobId, ...changes }, { default: { mode: 'id', value: ASKED } });

/** @throws EmptyField when there is none. */
export const readJobId = (read: ReadParameter): string => enteredText(locatorValue(read<unknown>('jobId')), 'Job ID');
