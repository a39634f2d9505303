import { parseBaseUrl, type ServiceAddress } from '../address';
import { DEFAULT_LIMITS } from '../api';
import type { ConnectSettings } from '../connection';
import type { CallOptions } from '../ports';
import { HttpClient } from '../transport/http';
import { RouterAccess, RouterApi, type RouterLimits, type RouterSecret } from './api';
import { InputSchemas, readModel, readPage, walkModels } from './catalog';
import type { RouterPrefix } from './prefix';
import { cancelRequest, requestResult, requestStatus } from './requests';
import { runModel } from './run';
import { collect, runQueued } from './runQueued';
import type { ModelRouter } from './types';

/** The router closes a connection after 10 minutes, with an error that must be received. */
const HOLD_MS = 660_000;
/** Shorter than the wait of most runs, so that the user learns early that a provider is down. */
const MAX_FAILURE_MS = 120_000;

export interface RouterSettings extends Pick<ConnectSettings, 'rejectUnauthorized' | 'outboundNetwork' | 'readBudgetMs' | 'contact'> {
	/** As entered by the user. A slash, `/v1` or `/v2` at the end is allowed. */
	baseUrl: string;
	/** Sent only to the origin of `baseUrl`. */
	credential: RouterSecret;
	/** Automatic: found once, with a read. */
	prefix?: 'automatic' | RouterPrefix;
	/** Other time limits, in milliseconds. */
	limits?: Partial<Omit<RouterLimits, 'readBudgetMs'>>;
}

export interface RouterConnection {
	router: ModelRouter;
	/**
	 * Reads the first entry of the catalog once.
	 * @throws ApiError for a wrong credential; UnreadableAnswerError if something else answers; ConnectionError.
	 */
	verifyAccess(options?: CallOptions): Promise<void>;
	/** Ends all running requests. */
	close(): Promise<void>;
}

/**
 * Creates a connection to a model router. It sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for an unusable
 *   credential.
 */
export function connectRouter(settings: RouterSettings): RouterConnection {
	const { prefix = 'automatic', rejectUnauthorized, outboundNetwork, readBudgetMs = DEFAULT_LIMITS.readBudgetMs, contact } = settings;
	const address = parseRouterAddress(settings.baseUrl);
	const access = new RouterAccess(settings.credential);
	const http = new HttpClient({ origin: address.origin, credential: access.headers, rejectUnauthorized, contact, ...outboundNetwork });
	const limits: RouterLimits = {
		...DEFAULT_LIMITS,
		holdMs: HOLD_MS,
		failuresMs: MAX_FAILURE_MS,
		pauseScale: 1,
		...settings.limits,
		readBudgetMs,
	};
	const api = new RouterApi(http, address, limits, prefix, access);
	return {
		router: createRouter(api),
		verifyAccess: async ({ signal } = {}) => await api.prefix.verify(signal),
		close: async () => await http.close(),
	};
}

function createRouter(api: RouterApi): ModelRouter {
	const schemas = new InputSchemas(api);
	return {
		page: async (options) => await readPage(api, options),
		models: (options) => walkModels(api, options),
		model: async (id, options) => await readModel(api, id, options),
		inputSchema: async (id, options) => await schemas.read(id, options),
		run: async (id, input, options) => await runModel(api, id, input, options),
		runQueued: async (id, input, options) => await runQueued(api, id, input, options),
		collect: async (address, options) => await collect(api, address, options),
		requestStatus: async (address, options) => await requestStatus(api, address, options),
		requestResult: async (address, options) => await requestResult(api, address, options),
		cancelRequest: async (address, options) => await cancelRequest(api, address, options),
	};
}

function parseRouterAddress(baseUrl: string): ServiceAddress {
	const { origin, prefix } = parseBaseUrl(baseUrl);
	return { origin, prefix: prefix.replace(/\/v[12]$/, '') };
}
