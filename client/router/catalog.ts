import { numberOr, recordOf, recordsOf, requiredText, ShapeError, textOr } from '../fields';
import { isRecord } from '../records';
import type { CallOptions } from '../services';
import type { HttpResponse } from '../transport/response';
import type { RouterApi } from './api';
import { routerFacts } from './headers';
import { modelPath } from './modelId';
import type { RouterFacts, RouterModel, RouterModelId, RouterModelPage } from './types';

/** The most that the service gives at once. */
const LARGEST_PAGE = 100;

export interface PageOptions extends CallOptions {
	cursor?: string;
	limit?: number;
}

/** @see ModelRouter.page */
export async function readPage(api: RouterApi, { cursor, limit, signal }: PageOptions = {}): Promise<RouterModelPage> {
	const query = new URLSearchParams({ ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit: String(limit) }) });
	const decode = (json: unknown, response: HttpResponse) => {
		const page = decodePage(json, response);
		if (page.nextCursor !== undefined && page.nextCursor === cursor) throw new ShapeError('page leads to itself');
		return page;
	};
	return await readFrom(api, query.size > 0 ? `/models?${query}` : '/models', decode, { signal });
}

/** @see ModelRouter.models */
export async function* walkModels(api: RouterApi, options: CallOptions = {}): AsyncGenerator<RouterModel, void, undefined> {
	let cursor: string | undefined;
	do {
		const page: RouterModelPage = await readPage(api, { ...options, cursor, limit: LARGEST_PAGE });
		yield* page.models;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
}

/** @see ModelRouter.model */
export async function readModel(api: RouterApi, id: RouterModelId, options: CallOptions = {}): Promise<RouterModel & RouterFacts> {
	return await readFrom(api, modelPath(id), (json, response) => ({ ...decodeModel(json), ...routerFacts(response) }), options);
}

async function readFrom<T>(api: RouterApi, path: string, decode: (json: unknown, response: HttpResponse) => T, { signal }: CallOptions): Promise<T> {
	const attempt = async () => {
		const response = await api.send({ method: 'GET', url: await api.route(path, { signal }), signal, totalMs: api.limits.requestMs });
		return await api.decoded(response, (json) => decode(json, response));
	};
	return await api.repeat(attempt, { signal });
}

/** Only `has_more` tells of the end: a page may be short, or empty. @throws ShapeError when this is no page. */
export function decodePage(value: unknown, response: HttpResponse): RouterModelPage {
	const { data, has_more: hasMore, next_cursor: next, limit } = recordOf(value, 'page');
	if (!Array.isArray(data) || typeof hasMore !== 'boolean') throw new ShapeError('page holds no list');
	const models = recordsOf(data).map(decodeModel);
	const nextCursor = hasMore ? requiredText(next, 'page.next_cursor') : undefined;
	return { ...routerFacts(response), models, limit: numberOr(limit, models.length), ...(nextCursor !== undefined && { nextCursor }) };
}

function decodeModel(value: unknown): RouterModel {
	const { input_schema_url: schemaUrl, ...model } = recordOf(value, 'model');
	const id = requiredText(model.id, 'model.id');
	const [provider = '', name = ''] = id.split('/');
	const charges = isRecord(model.billing) ? model.billing.charges_on_policy_rejection : undefined;
	return {
		...model,
		id,
		provider: textOr(model.provider, provider),
		model: textOr(model.model, name),
		charges_on_policy_rejection: charges === 'yes' || charges === 'no' ? charges : 'unknown',
		...(typeof schemaUrl === 'string' && { input_schema_url: schemaUrl }),
	};
}
