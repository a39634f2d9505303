import type { INodeProperties } from 'n8n-workflow';

import { concurrency, options, showFor } from '../shared/descriptions/common';
import { enteredText, type ReadParameter } from '../shared/parameters';

export interface AssetIdSettings {
	assetId: string;
}

export const description: INodeProperties[] = [
	{
		displayName: 'Asset ID',
		name: 'assetId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. 2f1c7a36-4a0e-4a55-9a3d-9d6f0a1b2c3d',
		description: 'The asset, as the operation Upload outputs it in ID',
		displayOptions: showFor('get', 'delete'),
	},
	options(showFor('get', 'delete'), [concurrency]),
];

export const settings = (read: ReadParameter): AssetIdSettings => ({
	assetId: enteredText(read<unknown>('assetId'), 'Asset ID'),
});
