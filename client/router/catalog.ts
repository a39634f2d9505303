import { ShapeError } from '../errors';
import type { CallOptions } from '../ports';
import type { HttpResponse } from '../transport/response';
import type { RouterApi } from './api';
import { decodeModel, decodePage } from './decode';
import { answerFacts } from './headers';
import { modelPath } from './modelId';
import type { RouterFacts, RouterModel, RouterModelId, RouterModelPage } from './types';

/** The most that the service gives at once. */
const LARGEST_PAGE = 100;

export interface PageOptions extends CallOptions {
	cursor?: string;
	limit?: number;
}

/**
 * @param walked the cursors that led here, where pages are read one after the other.
 * @see ModelRouter.page
 */
export async function readPage(
	api: RouterApi,
	{ cursor, limit, signal }: PageOptions = {},
	walked: ReadonlySet<string | undefined> = new Set([cursor]),
): Promise<RouterModelPage> {
	const query = new URLSearchParams({ ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit: String(limit) }) });
	const decode = (json: unknown, response: HttpResponse) => {
		const page = decodePage(json, response);
		if (page.nextCursor !== undefined && walked.has(page.nextCursor)) throw new ShapeError('page leads back');
		return page;
	};
	return await readFrom(api, query.size > 0 ? `/models?${query}` : '/models', decode, { signal });
}

/** @see ModelRouter.models */
export async function* walkModels(api: RouterApi, options: CallOptions = {}): AsyncGenerator<RouterModel, void, undefined> {
	const walked = new Set<string | undefined>();
	let cursor: string | undefined;
	do {
		walked.add(cursor);
		const page: RouterModelPage = await readPage(api, { ...options, cursor, limit: LARGEST_PAGE }, walked);
		yield* page.models;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
}

/** @see ModelRouter.model */
export async function readModel(api: RouterApi, id: RouterModelId, options: CallOptions = {}): Promise<RouterModel & RouterFacts> {
	return await readFrom(api, modelPath(id), (json, response) => ({ ...decodeModel(json), ...answerFacts(response) }), options);
}

async function readFrom<T>(
	api: RouterApi,
	path: string,
	decode: (json: unknown, response: HttpResponse) => T,
	{ signal }: CallOptions,
): Promise<T> {
	const attempt = async () => {
		const response = await api.send({ method: 'GET', url: await api.route(path, { signal }), signal, totalMs: api.limits.requestMs });
		return await api.decoded(response, (json) => decode(json, response));
	};
	return await api.repeat(attempt, { signal });
}
