import type { INodeProperties } from 'n8n-workflow';

import { assetRecords } from '../../client';
import { concurrency, options, showFor } from '../shared/descriptions/common';
import type { OfferedOperation } from '../shared/descriptions/operations';
import { enteredText, type ReadParameter } from '../shared/parameters';
import { toAssetItem } from './fields';

/** The operations *Get* and *Delete*, which have the same fields. */

interface AssetIdSettings {
	assetId: string;
}

const description: INodeProperties[] = [
	{
		displayName: 'Asset ID',
		name: 'assetId',
		type: 'string',
		default: '={{ $json.id }}',
		required: true,
		placeholder: 'e.g. 2f1c7a36-4a0e-4a55-9a3d-9d6f0a1b2c3d',
		description: 'ID of the asset, which the operation Upload returns in the field ID',
		displayOptions: showFor('get', 'delete'),
	},
	options(showFor('get', 'delete'), [concurrency]),
];

const settings = (read: ReadParameter): AssetIdSettings => ({
	assetId: enteredText(read<unknown>('assetId'), 'Asset ID'),
});

export const getAsset: OfferedOperation<AssetIdSettings> = {
	menu: {
		name: 'Get',
		action: 'Get asset',
		description: 'Get the record of an asset (v2 only)',
	},
	description,
	settings,
	async execute({ connection, signal }, { assetId }) {
		return toAssetItem(connection, await assetRecords(connection).get(assetId, { signal }), 0);
	},
};

/** Deletes the record. Bytes that other assets share stay in the service. */
export const deleteAsset: OfferedOperation<AssetIdSettings> = {
	menu: {
		name: 'Delete',
		action: 'Delete asset',
		description: 'Delete the record of an asset (v2 only)',
	},
	description,
	settings,
	async execute({ connection, signal }, { assetId }) {
		await assetRecords(connection).delete(assetId, { signal });
		return { json: { deleted: true, id: assetId } };
	},
};
