/** The catalog: its pages, one model, and the schema of a model. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { writeJson } from '../json';
import { type Model, type ModelParams, schemaDocument } from './model';
import { invalidInput, RouterRefusal } from './refusals';
import { authorize } from './call';
import { MODEL_PATH } from './runRoute';
import type { RouterService } from './routerService';

const DEFAULT_LIMIT = 20;
const HIGHEST_LIMIT = 100;

/** How full each page is although more follow: the third is half full, the fourth empty. */
const SHARES = [1, 1, 0.5, 0];

export function catalogRoutes(app: FastifyInstance, router: RouterService): void {
	app.get<{ Querystring: { cursor?: string; limit?: string } }>('/models', (request, reply) => {
		authorize(request, router);
		const { cursor } = request.query;
		const limit = pageSize(request.query.limit);
		const { offset, page } = cursor === undefined ? { offset: 0, page: 0 } : readCursor(cursor);
		const end = offset + Math.floor(limit * (SHARES[page % SHARES.length] ?? 1));
		const models = router.catalog.list(router.behaviour.routerExtraModels);
		const hasMore = end < models.length;
		return reply.send({
			data: models.slice(offset, end).map(entryOf),
			has_more: hasMore,
			...(hasMore && { next_cursor: writeCursor({ offset: end, page: page + 1 }) }),
			limit,
		});
	});

	app.get<{ Params: ModelParams }>(MODEL_PATH, (request, reply) => {
		authorize(request, router);
		const model = router.catalog.find(request.params);
		const prefix = request.url.startsWith('/v2') ? 'v2' : 'v1';
		return reply.send({
			...entryOf(model),
			...(model.schema.kind !== 'none' && { input_schema_url: `https://router.invalid/${prefix}/models/${model.id}/openapi.json` }),
		});
	});

	app.get<{ Params: ModelParams }>(`${MODEL_PATH}/openapi.json`, (request, reply) => {
		authorize(request, router);
		const model = router.catalog.find(request.params);
		if (model.schema.kind === 'none')
			throw new RouterRefusal({ status: 404, bucket: 'model_not_found', detail: `No schema has been written for ${model.id}` });
		const document = writeJson(schemaDocument(model, router.behaviour.requestIdHeader));
		const etag = `"${createHash('sha256').update(document).digest('hex').slice(0, 32)}"`;
		reply.headers({ etag, 'cache-control': 'private, must-revalidate' });
		if (request.headers['if-none-match'] === etag) return reply.code(304).send();
		return reply.type('application/json; charset=utf-8').send(document);
	});
}

const entryOf = ({ id, provider, model, chargesOnRefusal }: Model) => ({
	id,
	provider,
	model,
	billing: { charges_on_policy_rejection: chargesOnRefusal },
});

/** Out-of-range limits are clamped, not refused. */
function pageSize(asked: string | undefined): number {
	const limit = Math.trunc(Number(asked));
	return limit > 0 ? Math.min(limit, HIGHEST_LIMIT) : DEFAULT_LIMIT;
}

interface CatalogPosition {
	/** Number of models on the pages before. */
	offset: number;
	/** Index of the next page, from 0. */
	page: number;
}

/** Opaque to callers. Cursors contain characters that must be encoded in a URL. */
const writeCursor = ({ offset, page }: CatalogPosition): string => `+/${offset}=${page}`;

/** @throws RouterRefusal `invalid_input` if the router did not write the cursor. */
function readCursor(cursor: string): CatalogPosition {
	const [, offset, page] = /^\+\/(\d+)=(\d+)$/.exec(cursor) ?? [];
	if (offset === undefined) throw invalidInput('The cursor is not valid');
	return { offset: Number(offset), page: Number(page) };
}
