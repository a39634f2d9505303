/** Assets in v1: what it stores in addition to the shared record, its list queries, and its uploads. */
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import { toIsoTime, isRecord, isStringArray } from '../json';
import type { AssetRecord } from '../service/assets';
import { pipeInto } from '../http/routes';
import { invalid, type Query } from './refusals';

interface Details {
	/** Replaces the name of the file. */
	name?: string;
	userMetadata: Record<string, unknown>;
	/** Epoch milliseconds. */
	updatedAt: number;
}

/** What v1 stores about assets in addition to the record that all interfaces share. */
export class AssetDetails {
	readonly #details = new WeakMap<AssetRecord, Details>();

	of(record: AssetRecord): Details {
		const known = this.#details.get(record);
		if (known !== undefined) return known;
		const details: Details = { userMetadata: {}, updatedAt: record.createdAt };
		this.#details.set(record, details);
		return details;
	}

	change(record: AssetRecord, change: Partial<Omit<Details, 'updatedAt'>> = {}): void {
		Object.assign(this.of(record), change, { updatedAt: Date.now() });
	}

	/** An asset as v1 writes it, with other field names than v2. */
	present(record: AssetRecord): Record<string, unknown> {
		const { name = record.filePath ?? record.id, userMetadata, updatedAt } = this.of(record);
		return {
			id: record.id,
			name,
			...(record.blob.hash !== null && { asset_hash: record.blob.hash }),
			size: record.blob.sizeBytes,
			mime_type: record.contentType,
			tags: record.tags,
			user_metadata: userMetadata,
			preview_id: null,
			prompt_id: record.jobId,
			created_at: toIsoTime(record.createdAt),
			updated_at: toIsoTime(updatedAt),
			is_immutable: false,
		};
	}
}

type SortKey = (record: AssetRecord) => number | string;

const list = (value: string | string[] | undefined): string[] => [value ?? []].flat().flatMap((one) => one.split(','));

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

/** Tag → number of these assets that have it. */
export function countTags(records: AssetRecord[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const tag of records.flatMap(({ tags }) => tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
	return counts;
}

export interface AssetFields {
	name?: string;
	mimeType?: string;
	tags?: string[];
	userMetadata?: Record<string, unknown>;
}

/** @throws Refusal if a field has the wrong type. */
export function readAssetFields({ name, mime_type: mimeType, tags, user_metadata: userMetadata }: Record<string, unknown>): AssetFields {
	if (name !== undefined && typeof name !== 'string') throw invalid('name must be a text');
	if (mimeType !== undefined && typeof mimeType !== 'string') throw invalid('mime_type must be a text');
	if (tags !== undefined && !isStringArray(tags)) throw invalid('tags must be a list of texts');
	if (userMetadata !== undefined && !isRecord(userMetadata)) throw invalid('user_metadata must be an object');
	return {
		...(name !== undefined && { name }),
		...(mimeType !== undefined && { mimeType }),
		...(tags !== undefined && { tags }),
		...(userMetadata !== undefined && { userMetadata }),
	};
}

/** Reads the body `{tags}` of the routes that change tags. @throws Refusal. */
export function readTags(body: unknown): string[] {
	const tags = isRecord(body) ? body.tags : undefined;
	if (!isStringArray(tags) || tags.length === 0) throw invalid('tags must be a list of at least one text');
	return tags;
}

interface ReceivedFile extends AssetFields {
	/** The id that the caller chose, so that a repeated request creates one asset. */
	id?: string;
	bytes: Buffer;
	fileName: string;
	contentType: string;
}

/** @throws Refusal if there is no file. */
export async function receiveFile(request: IncomingMessage): Promise<ReceivedFile> {
	const fields: Record<string, unknown> = {};
	const tags: string[] = [];
	const chunks: Buffer[] = [];
	let file: { fileName: string; contentType: string } | undefined;
	try {
		const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
		const parser = new Busboy({ headers, isPartAFile: (name) => name === 'file', limits: { files: 1 } });
		parser.on('field', (name, value) => (name === 'tags' ? tags.push(value) : (fields[name] = value)));
		parser.on('file', (_name, stream, fileName, _encoding, contentType) => {
			file = { fileName, contentType };
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
		});
		await pipeInto(request, parser);
	} catch (error) {
		throw invalid(`The upload is not readable multipart: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (file === undefined) throw invalid('file is required');
	const { id, user_metadata: metadata, ...rest } = fields;
	const userMetadata = typeof metadata === 'string' ? readMetadata(metadata) : undefined;
	const described = readAssetFields({
		...rest,
		...(tags.length > 0 && { tags }),
		...(userMetadata !== undefined && { user_metadata: userMetadata }),
	});
	return { ...described, ...file, ...(typeof id === 'string' && { id }), bytes: Buffer.concat(chunks) };
}

function readMetadata(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		throw invalid('user_metadata must be JSON');
	}
}
