import type { INodeProperties } from 'n8n-workflow';

import { jobId, showForResource } from '../../shared/descriptions/common';
import type { ReadParameter } from '../../shared/operations';
import { requiredText } from '../../shared/parameters';

export interface JobIdSettings {
	jobId: string;
}

export const description: INodeProperties[] = [{ ...jobId, displayOptions: showForResource('job', 'get', 'cancel') }];

export const settings = (read: ReadParameter): JobIdSettings => ({ jobId: requiredText(read<unknown>('jobId'), 'Job ID') });
