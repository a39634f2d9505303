import { Cache } from '../cache/cache';
import { requireRecord } from '../json/decode';
import { ApiError, ShapeError } from '../errors/errors';
import type { CallOptions } from '../ports/jobService';
import type { HttpResponse } from '../transport/response';
import type { RouterApi } from './api';
import { decodeModel, decodePage, readRouterFacts } from './decode';
import { readInputSchema } from './inputForm/resolveSchema';
import type { RouterFacts, RouterInputSchema, RouterModel, RouterModelId, RouterModelPage } from './types';

const SEGMENT = /^[a-z0-9]+([._-][a-z0-9]+)*$/;
/** The limits of both parts, in characters. */
export const LONGEST_MODEL_ID = { provider: 64, model: 128 } as const;

/** Whether the text has the form of a model id: `<provider>/<model>`, at most 193 characters. */
export function isRouterModelId(id: string): id is RouterModelId {
	const [provider = '', model = '', ...rest] = id.split('/');
	if (rest.length > 0 || provider.length > LONGEST_MODEL_ID.provider || model.length > LONGEST_MODEL_ID.model) return false;
	return SEGMENT.test(provider) && SEGMENT.test(model);
}

/**
 * Returns the route of a model.
 * @throws ApiError `invalid_input` for an invalid id, before anything is sent.
 */
export function modelPath(id: RouterModelId): string {
	if (isRouterModelId(id)) return `/models/${id}`;
	const message =
		'A model id is <provider>/<model>: small letters and digits, joined by single ".", "_" or "-", at most 64 and 128 characters';
	throw new ApiError({ interface: 'router', code: 'invalid_input', status: 400, message });
}

/** The service returns no more at once. */
const MAX_PAGE_SIZE = 100;

export interface PageOptions extends CallOptions {
	cursor?: string;
	limit?: number;
}

/**
 * Returns one page. The service limits `limit`.
 * @param usedCursors the cursors of earlier pages, if the pages are read one after the other.
 * @throws ApiError `invalid_input` for an expired cursor.
 */
export async function readPage(
	api: RouterApi,
	{ cursor, limit, signal }: PageOptions = {},
	usedCursors: ReadonlySet<string | undefined> = new Set([cursor]),
): Promise<RouterModelPage> {
	const query = new URLSearchParams({ ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit: String(limit) }) });
	const decode = (json: unknown, response: HttpResponse) => {
		const page = decodePage(json, response);
		if (page.nextCursor !== undefined && usedCursors.has(page.nextCursor)) throw new ShapeError('page leads back');
		return page;
	};
	return await readFrom(api, query.size > 0 ? `/models?${query}` : '/models', decode, { signal });
}

/** Returns the whole catalog, page by page. */
export async function* walkModels(api: RouterApi, options: CallOptions = {}): AsyncGenerator<RouterModel, void, undefined> {
	const usedCursors = new Set<string | undefined>();
	let cursor: string | undefined;
	do {
		usedCursors.add(cursor);
		const page: RouterModelPage = await readPage(api, { ...options, cursor, limit: MAX_PAGE_SIZE }, usedCursors);
		yield* page.models;
		cursor = page.nextCursor;
	} while (cursor !== undefined);
}

/**
 * Returns one model.
 * @throws ApiError `model_not_found`, with the service's suggestions in its message.
 */
export async function readModel(api: RouterApi, id: RouterModelId, options: CallOptions = {}): Promise<RouterModel & RouterFacts> {
	return await readFrom(api, modelPath(id), (json, response) => ({ ...decodeModel(json), ...readRouterFacts(response) }), options);
}

async function readFrom<T>(
	api: RouterApi,
	path: string,
	decode: (json: unknown, response: HttpResponse) => T,
	{ signal }: CallOptions,
): Promise<T> {
	const attempt = async () => {
		const response = await api.send({ method: 'GET', url: await api.route(path, { signal }), signal, totalMs: api.limits.requestMs });
		return await api.decodeResponse(response, (json) => decode(json, response));
	};
	return await api.repeat(attempt, { signal });
}

interface CachedSchema {
	etag: string;
	schema: RouterInputSchema;
}

/** The input schemas of the models, by their ETags. Each is requested every time, and the router sends it only if it has changed. */
export class InputSchemas {
	private readonly cache = new Cache<RouterModelId, CachedSchema>({ mostEntries: 100 });

	constructor(private readonly api: RouterApi) {}

	/** Returns the input schema of a model. */
	async read(id: RouterModelId, options: CallOptions = {}): Promise<RouterInputSchema> {
		const path = `${modelPath(id)}/openapi.json`;
		return await this.api.repeat(() => this.readOnce(id, path, options), options);
	}

	private async readOnce(id: RouterModelId, path: string, { signal }: CallOptions): Promise<RouterInputSchema> {
		const cached = this.cache.get(id);
		const response = await this.api.exchange({
			method: 'GET',
			url: await this.api.route(path, { signal }),
			headers: cached && { 'if-none-match': cached.etag },
			signal,
			totalMs: this.api.limits.requestMs,
		});
		if (response.status === 304 && cached !== undefined) {
			await response.discard();
			return { ...cached.schema, ...readRouterFacts(response) };
		}
		if (!response.ok) throw await this.api.readError(response);
		const document = await this.api.decodeResponse(response, (json) => requireRecord(json, 'document'), { exactNumbers: true });
		const schema = { ...readRouterFacts(response), document, ...readInputSchema(document, id) };
		this.store(id, response.header('etag'), schema);
		return schema;
	}

	private store(id: RouterModelId, etag: string | undefined, schema: RouterInputSchema): void {
		if (etag === undefined) this.cache.delete(id);
		else this.cache.set(id, { etag, schema });
	}
}
