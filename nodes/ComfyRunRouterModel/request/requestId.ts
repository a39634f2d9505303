import type { INodeProperties } from 'n8n-workflow';

import { showForResource } from '../../shared/descriptions/common';
import { enteredText, type ReadParameter } from '../../shared/parameters';
import { readModelId } from '../modelId';

export interface RequestSettings {
	model: string;
	requestId: string;
}

export const description: INodeProperties[] = [
	{
		displayName: 'Request ID',
		name: 'requestId',
		type: 'string',
		required: true,
		default: '={{ $json.queue_request_id }}',
		placeholder: 'e.g. 8f14e45f-ceea-467f-a34f-5ac0d1a0f1c2',
		description: 'The queued request, as a run with queued delivery outputs it in queue_request_id',
		displayOptions: showForResource('request', 'get', 'cancel'),
	},
];

export const settings = (read: ReadParameter): RequestSettings => ({
	model: readModelId(read),
	requestId: enteredText(read<unknown>('requestId'), 'Request ID'),
});
