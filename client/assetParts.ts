import type { Connection } from './connection';
import { notImplemented } from './errors';
import type { InterfaceName } from './job';
import type { AssetMasks, AssetRecords } from './ports';

type Files = Pick<Connection, 'interface' | 'assets'>;

const SPEAKER: Record<InterfaceName, string> = { v2: 'The v2 interface', v1: 'The v1 interface', engine: 'An engine' };

/** @throws ApiError `not_implemented` where files are known by their names only. */
export function assetRecords({ interface: name, assets: { records } }: Files): AssetRecords {
	if (records !== undefined) return records;
	throw notImplemented(name, `${SPEAKER[name]} knows files by their names only; asset records and hashes are v2’s`);
}

/** @throws ApiError `not_implemented` where there are none. */
export function assetMasks({ interface: name, assets: { masks } }: Files): AssetMasks {
	if (masks !== undefined) return masks;
	throw notImplemented(name, `${SPEAKER[name]} has no masks`);
}
