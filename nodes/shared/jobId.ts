import type { INodeProperties } from 'n8n-workflow';

import type { ReadParameter } from './operations';
import { locatorValue, requiredText } from './parameters';

export const jobId: INodeProperties = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'id', value: '={{ $json.job_id }}' },
	description: 'The job to look at, as Comfy Submit Workflow outputs it in job_id',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a job…',
			typeOptions: { searchListMethod: 'searchJobs', searchable: true, searchFilterRequired: false },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2' },
	],
};

/** @throws EmptyField when there is none. */
export const readJobId = (read: ReadParameter): string => requiredText(locatorValue(read<unknown>('jobId')), 'Job ID');
