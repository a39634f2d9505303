import type { INodeProperties } from 'n8n-workflow';

import { concurrency, options, showFor } from '../shared/descriptions/common';
import type { ItemContext, ItemResult, ReadParameter } from '../shared/operations';
import { requiredText } from '../shared/parameters';
import { assetItem } from './assetFields';

interface IdSettings {
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

export const settings = (read: ReadParameter): IdSettings => ({
	assetId: requiredText(read<unknown>('assetId'), 'Asset ID'),
});

export async function get(context: ItemContext<IdSettings>): Promise<ItemResult> {
	const { connection, settings: { assetId }, signal } = context;
	return assetItem(context, await connection.assets.get(assetId, { signal }), 0);
}

/** Deletes the record; bytes that other assets share stay in the service. */
export async function remove({ connection, settings: { assetId }, signal }: ItemContext<IdSettings>): Promise<ItemResult> {
	await connection.assets.delete(assetId, { signal });
	return { json: { deleted: true, id: assetId } };
}
