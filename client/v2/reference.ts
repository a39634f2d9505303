import type { Asset, AssetReference } from '../job';

/** What stands in a graph for an asset: its id decides, the rest are hints. */
export const referenceTo = ({ id, hash, file_path }: Pick<Asset, 'id' | 'hash' | 'file_path'>): AssetReference => ({
	__type: 'core/ASSET',
	info: { id: id ?? '', ...(hash && { hash }), ...(file_path && { file_path }) },
});
