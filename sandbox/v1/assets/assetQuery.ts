/** Which assets a list holds, and in which order. */
import type { AssetRecord } from '../../service/assetRecords';
import { invalid } from '../refusals';
import type { AssetDetails } from './assetDetails';

export type Query = Record<string, string | string[] | undefined>;

type SortKey = (record: AssetRecord) => number | string;

const list = (value: string | string[] | undefined): string[] => [value ?? []].flat().flatMap((one) => one.split(','));

/** @throws Refusal for anything but a whole number in these limits. */
export function readCount(query: Query, name: string, { least, most, otherwise }: Record<'least' | 'most' | 'otherwise', number>): number {
	const text = [query[name]].flat()[0];
	const count = text === undefined ? otherwise : Number(text);
	if (!Number.isInteger(count) || count < least || count > most) throw invalid(`${name} must be a whole number from ${least} to ${most}`);
	return count;
}

/** The assets that have all of `include_tags`, none of `exclude_tags`, and `name_contains` in their name. */
export function selectAssets(records: AssetRecord[], details: AssetDetails, query: Query): AssetRecord[] {
	const [included, excluded] = [list(query.include_tags), list(query.exclude_tags)];
	const part = [query.name_contains].flat()[0]?.toLowerCase() ?? '';
	return records.filter(
		(record) =>
			included.every((tag) => record.tags.includes(tag)) &&
			!excluded.some((tag) => record.tags.includes(tag)) &&
			String(details.present(record).name).toLowerCase().includes(part),
	);
}

/** @throws Refusal for a key or an order that does not exist. */
export function sortAssets(records: AssetRecord[], details: AssetDetails, query: Query): AssetRecord[] {
	const keys: Record<string, SortKey> = {
		name: (record) => String(details.present(record).name),
		created_at: ({ createdAt }) => createdAt,
		updated_at: (record) => details.of(record).updatedAt,
		size: ({ blob }) => blob.sizeBytes,
		last_access_time: (record) => details.of(record).updatedAt,
	};
	const [name = 'created_at', order = 'desc'] = [[query.sort].flat()[0], [query.order].flat()[0]];
	const key = keys[name];
	if (key === undefined) throw invalid(`sort must be one of ${Object.keys(keys).join(', ')}`);
	if (order !== 'asc' && order !== 'desc') throw invalid('order must be asc or desc');
	const sorted = records.toSorted((left, right) => (key(left) < key(right) ? -1 : Number(key(left) > key(right))));
	return order === 'asc' ? sorted : sorted.reverse();
}

/** Tag → how many of these assets have it. */
export function countTags(records: AssetRecord[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const tag of records.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
	return counts;
}
