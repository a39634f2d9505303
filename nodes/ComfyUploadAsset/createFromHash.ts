import type { INodeProperties } from 'n8n-workflow';

import { type AssetOptions, assetRecords } from '../../client';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import type { ItemRun, ItemResult } from '../shared/operation';
import { ItemFault } from '../shared/itemFault';
import type { Option } from '../shared/options';
import { enteredText, type ReadParameter } from '../shared/parameters';
import { toAssetItem, readAssetOptions, assetOptions } from './fields';
import { messages } from '../shared/messages/catalogue';

interface HashSettings extends AssetOptions {
	hash: string;
}

export const menu = {
	name: 'Create From Hash',
	action: 'Create asset from hash',
	description: 'Create an asset from a file that the service already stores (v2 only)',
};

export const description: INodeProperties[] = [
	{
		displayName: 'Hash',
		name: 'hash',
		type: 'string',
		default: '={{ $json.hash }}',
		required: true,
		placeholder: 'e.g. blake3:af1349b9…',
		description: 'BLAKE3 hash of a file that the service already stores',
		displayOptions: showFor('createFromHash'),
	},
	options(showFor('createFromHash'), [concurrency, ...Object.values<Option>(assetOptions)]),
];

function readHash(value: unknown): string {
	const text = enteredText(value, 'Hash').toLowerCase();
	const hash = text.startsWith('blake3:') ? text : `blake3:${text}`;
	if (/^blake3:[0-9a-f]{64}$/.test(hash)) return hash;
	throw new ItemFault(messages.HASH_NOT_VALID());
}

export const settings = (read: ReadParameter): HashSettings => ({
	...readAssetOptions(read),
	hash: readHash(read<unknown>('hash')),
});

export async function execute({ connection, signal }: ItemRun, { hash, ...asset }: HashSettings): Promise<ItemResult> {
	return toAssetItem(connection, await assetRecords(connection).fromHash(hash, { ...asset, signal }), 0);
}
