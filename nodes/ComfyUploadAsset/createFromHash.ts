import type { INodeProperties } from 'n8n-workflow';

import { type AssetOptions, assetRecords } from '../../client';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import type { ItemContext, ItemResult } from '../shared/operation';
import { ItemFault } from '../shared/itemFault';
import { enteredText, type ReadParameter } from '../shared/parameters';
import { toAssetItem, readAssetOptions, expiresIn, tags } from './fields';
import { messages } from '../shared/messages/catalogue';

interface HashSettings extends AssetOptions {
	hash: string;
}

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
	options(showFor('createFromHash'), [concurrency, expiresIn, tags]),
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

export async function execute(context: ItemContext<HashSettings>): Promise<ItemResult> {
	const {
		connection,
		settings: { hash, ...asset },
		signal,
	} = context;
	return toAssetItem(context, await assetRecords(connection).fromHash(hash, { ...asset, signal }), 0);
}
