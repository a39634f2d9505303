import { assetRecords } from '../../client';
import type { ItemContext, ItemResult } from '../shared/operation';
import type { AssetIdSettings } from './assetId';

export { settings } from './assetId';

/** Deletes the record; bytes that other assets share stay in the service. */
export async function execute({ connection, settings: { assetId }, signal }: ItemContext<AssetIdSettings>): Promise<ItemResult> {
	await assetRecords(connection).delete(assetId, { signal });
	return { json: { deleted: true, id: assetId } };
}
