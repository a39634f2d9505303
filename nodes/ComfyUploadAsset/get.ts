import { assetRecords } from '../../client';
import type { ItemContext, ItemResult } from '../shared/operation';
import { assetItem } from './assetFields';
import type { AssetIdSettings } from './assetId';

export { settings } from './assetId';

export async function execute(context: ItemContext<AssetIdSettings>): Promise<ItemResult> {
	const {
		connection,
		settings: { assetId },
		signal,
	} = context;
	return assetItem(context, await assetRecords(connection).get(assetId, { signal }), 0);
}
