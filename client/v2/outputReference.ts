import { isRecord } from '../decode';
import { annotatedName } from '../files/annotatedName';
import type { Asset, AssetReference, FileReference } from '../job';

/** What stands in a graph for an asset: its id decides, the rest are hints. */
export const referenceTo = ({ id, hash, file_path }: Pick<Asset, 'id' | 'hash' | 'file_path'>): AssetReference => ({
	__type: 'core/ASSET',
	info: { id: id ?? '', ...(hash && { hash }), ...(file_path && { file_path }) },
});

/**
 * What stands in a graph for a job's output: on the service an output is an asset. The self-hosted proxy's outputs are
 * none: it would tell its engine the name alone, which looks for it among the inputs (read in 0.1.6); a text goes through
 * to the engine as it is.
 */
export function outputReference({ id, hash }: { id: string; hash: string | null }): AssetReference | null {
	if (id === '') return null;
	const file = fileBehindProxy(id);
	return file === undefined ? referenceTo({ id, hash }) : annotatedName(file);
}

/** The proxy's ids are signed JSON, `<payload>.<signature>`: which file of its engine they stand for. */
function fileBehindProxy(id: string): FileReference | undefined {
	const payload = /^(?:asset_)?([\w-]{8,})(?:\.[\w-]+)?$/.exec(id)?.[1];
	if (payload === undefined) return undefined;
	const { f: filename, s: subfolder, t: type } = recordIn(Buffer.from(payload, 'base64url').toString('utf8'));
	if (typeof filename !== 'string' || filename === '' || typeof subfolder !== 'string' || typeof type !== 'string') return undefined;
	return { filename, subfolder, type };
}

function recordIn(text: string): Record<string, unknown> {
	try {
		const value: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
		return isRecord(value) ? value : {};
	} catch {
		return {};
	}
}
