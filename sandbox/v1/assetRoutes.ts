/** `/api/assets` and `/api/tags`: the assets of v2 with v1's field names. Downloads from other addresses always fail. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isRecord } from '../json';
import type { AssetRecord } from '../service/assets';
import { Refusal } from '../service/traits';
import type { Service } from '../service/service';
import { invalid, type Query, readCount, unknown } from './refusals';
import { AssetDetails, type AssetFields, countTags, readAssetFields, readTags, receiveFile, selectAssets, sortAssets } from './assets';

const HASH = /^blake3:[a-f0-9]{64}$/;

interface OneAsset {
	Params: { id: string };
}

export function v1AssetRoutes(app: FastifyInstance, service: Service): void {
	const { assets, blobs } = service;
	const details = new AssetDetails();

	const find = ({ account, params }: FastifyRequest<OneAsset>): AssetRecord => {
		const record = assets.get(account, params.id);
		if (record === undefined) throw unknown('asset');
		return record;
	};
	const describe = (record: AssetRecord, { name, mimeType, tags, userMetadata }: AssetFields): void => {
		if (mimeType !== undefined) record.contentType = mimeType;
		if (tags !== undefined) record.tags = tags;
		details.change(record, { ...(name !== undefined && { name }), ...(userMetadata !== undefined && { userMetadata }) });
	};
	const created = (record: AssetRecord, isNew: boolean) => ({ ...details.present(record), created_new: isNew });

	app.get<{ Querystring: Query }>('/assets', ({ account, query }) => {
		const found = sortAssets(selectAssets(assets.list(account), details, query), details, query);
		const [offset, limit] = [readCount(query, 'offset', FROM_ZERO), readCount(query, 'limit', { least: 1, most: 500, otherwise: 20 })];
		const page = found.slice(offset, offset + limit);
		return {
			assets: page.map((record) => details.present(record)),
			total: found.length,
			has_more: offset + page.length < found.length,
		};
	});

	app.post('/assets', async ({ account, body, raw }, reply) => {
		if (isRecord(body)) throw noDownload();
		const { bytes, fileName, contentType, id, ...fields } = await receiveFile(raw);
		const earlier = id === undefined ? undefined : assets.get(account, id);
		if (earlier !== undefined) return reply.code(200).send(created(earlier, false));
		const blob = await blobs.write(bytes);
		const record = assets.mint({ account, blob, contentType, filePath: fileName, ...(id !== undefined && { id }) });
		describe(record, fields);
		return reply.code(201).send(created(record, true));
	});

	app.post('/assets/from-hash', ({ account, body }, reply) => {
		if (!isRecord(body) || typeof body.hash !== 'string' || !HASH.test(body.hash)) throw invalid('hash must be blake3:<64 hex digits>');
		const fields = { ...readAssetFields(body), tags: readTags(body) };
		const known = assets.findBytes(account, body.hash);
		if (known === undefined) throw unknown('asset');
		const record = assets.mint({ account, blob: known.blob, contentType: known.contentType, filePath: fields.name ?? null });
		describe(record, fields);
		return reply.code(201).send(created(record, true));
	});

	app.head<{ Params: { hash: string } }>('/assets/hash/:hash', ({ account, params: { hash } }, reply) => {
		if (!HASH.test(hash)) return reply.code(400).send();
		return reply.code(assets.findBytes(account, hash) === undefined ? 404 : 200).send();
	});

	app.get('/assets/remote-metadata', () => {
		throw noDownload();
	});
	app.post('/assets/download', () => {
		throw noDownload();
	});

	app.get<{ Querystring: Query }>('/assets/tags/refine', ({ account, query }) => {
		const limit = readCount(query, 'limit', UP_TO_1000);
		const counts = [...countTags(selectAssets(assets.list(account), details, query))];
		return { tag_counts: Object.fromEntries(counts.toSorted(byCount).slice(0, limit)) };
	});

	app.get<OneAsset>('/assets/:id', (request) => details.present(find(request)));

	app.put<OneAsset>('/assets/:id', (request) => {
		const fields = readAssetFields(isRecord(request.body) ? request.body : {});
		if (Object.keys(fields).length === 0) throw invalid('At least one field is required');
		const record = find(request);
		describe(record, fields);
		return details.present(record);
	});

	app.delete<OneAsset>('/assets/:id', (request, reply) => {
		assets.delete(find(request).id);
		return reply.code(204).send();
	});

	app.post<OneAsset>('/assets/:id/tags', (request) => {
		const [record, tags] = [find(request), readTags(request.body)];
		const added = tags.filter((tag) => !record.tags.includes(tag));
		describe(record, { tags: [...record.tags, ...added] });
		return { added, already_present: tags.filter((tag) => !added.includes(tag)), total_tags: record.tags };
	});

	app.delete<OneAsset>('/assets/:id/tags', (request) => {
		const [record, tags] = [find(request), readTags(request.body)];
		const removed = tags.filter((tag) => record.tags.includes(tag));
		describe(record, { tags: record.tags.filter((tag) => !removed.includes(tag)) });
		return { removed, not_present: tags.filter((tag) => !removed.includes(tag)), total_tags: record.tags };
	});

	app.get<{ Querystring: Query }>('/tags', ({ account, query }) => {
		const [offset, limit] = [readCount(query, 'offset', FROM_ZERO), readCount(query, 'limit', UP_TO_1000)];
		const prefix = [query.prefix].flat()[0] ?? '';
		const order = [query.order].flat()[0] ?? 'count_desc';
		if (order !== 'count_desc' && order !== 'name_asc') throw invalid('order must be count_desc or name_asc');
		const found = [...countTags(assets.list(account))].filter(([name]) => name.startsWith(prefix));
		const sorted = found.toSorted(order === 'count_desc' ? byCount : ([left], [right]) => left.localeCompare(right));
		const page = sorted.slice(offset, offset + limit);
		return { tags: page.map(([name, count]) => ({ name, count })), total: found.length, has_more: offset + page.length < found.length };
	});
}

const FROM_ZERO = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };
const UP_TO_1000 = { least: 1, most: 1000, otherwise: 100 };

const byCount = ([, left]: [string, number], [, right]: [string, number]): number => right - left;

/** The sandbox opens no connection to other servers. */
const noDownload = (): Refusal => new Refusal({ status: 422, code: 'download_failed', message: 'The address cannot be reached' });
