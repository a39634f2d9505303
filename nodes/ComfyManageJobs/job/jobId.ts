import type { INodeProperties } from 'n8n-workflow';

import { showForResource } from '../../shared/descriptions/common';
import { jobIdFields, readJobId } from '../../shared/descriptions/jobId';
import type { ReadParameter } from '../../shared/parameters';

export interface JobIdSettings {
	jobId: string;
}

export const description: INodeProperties[] = jobIdFields({ displayOptions: showForResource('job', 'get', 'cancel') });

export const settings = (read: ReadParameter): JobIdSettings => ({ jobId: readJobId(read) });
