/** The catalog: its pages, one model, and a model's schema. */
import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { writeJson } from '../../exactJson';
import type { Model, ModelParams } from '../model';
import { RouterRefusal } from '../refusal';
import { admit } from '../runs/call';
import { MODEL_PATH } from '../runs/runRoute';
import type { RouterService } from '../routerService';
import { Cursors } from './cursors';
import { schemaDocument } from './schemaDocument';

const DEFAULT_LIMIT = 20;
const HIGHEST_LIMIT = 100;

/** Pages of a walk that are not full though more follows: the third holds half, the fourth nothing. */
const SHARES = [1, 1, 0.5, 0];

export function catalogRoutes(app: FastifyInstance, router: RouterService): void {
	const cursors = new Cursors(router.secret);

	app.get<{ Querystring: { cursor?: string; limit?: string } }>('/models', (request, reply) => {
		admit(request, router);
		const { cursor } = request.query;
		const now = router.clock.now();
		const limit = pageSize(request.query.limit);
		const { offset, page } = cursor === undefined ? { offset: 0, page: 0 } : cursors.read(cursor, now);
		const end = offset + Math.floor(limit * (SHARES[page % SHARES.length] ?? 1));
		const hasMore = end < router.catalog.models.length;
		return reply.send({
			data: router.catalog.models.slice(offset, end).map(entryOf),
			has_more: hasMore,
			...(hasMore && { next_cursor: cursors.write({ offset: end, page: page + 1 }, now) }),
			limit,
		});
	});

	app.get<{ Params: ModelParams }>(MODEL_PATH, (request, reply) => {
		const model = router.catalog.find(request.params, admit(request, router));
		const prefix = request.url.startsWith('/v2') ? 'v2' : 'v1';
		return reply.send({
			...entryOf(model),
			...(model.schema.kind !== 'none' && { input_schema_url: `https://router.invalid/${prefix}/models/${model.id}/openapi.json` }),
		});
	});

	app.get<{ Params: ModelParams }>(`${MODEL_PATH}/openapi.json`, (request, reply) => {
		const model = router.catalog.find(request.params, admit(request, router));
		if (model.schema.kind === 'none')
			throw new RouterRefusal({ status: 404, bucket: 'model_not_found', detail: `No schema has been written for ${model.id}` });
		const document = writeJson(schemaDocument(model, router.behaviour.requestIdHeader));
		const etag = `"${createHash('sha256').update(document).digest('hex').slice(0, 32)}"`;
		reply.headers({ etag, 'cache-control': 'private, must-revalidate' });
		if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();
		return reply.type('application/json; charset=utf-8').send(document);
	});
}

const entryOf = ({ id, provider, model, chargesOnRefusal }: Model) => ({
	id,
	provider,
	model,
	billing: { charges_on_policy_rejection: chargesOnRefusal },
});

/** Clamped, never refused. */
function pageSize(asked: string | undefined): number {
	const limit = Math.trunc(Number(asked));
	return limit > 0 ? Math.min(limit, HIGHEST_LIMIT) : DEFAULT_LIMIT;
}

/** RFC 9110's weak comparison. */
function matches(header: string | undefined, etag: string): boolean {
	const tags = (header ?? '').split(',').map((tag) => tag.trim());
	return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}
