import { parseBaseUrl, type ServiceAddress } from '../address';
import { DEFAULT_LIMITS } from '../api';
import type { ConnectSettings } from '../connection';
import type { CallOptions } from '../ports';
import { HttpClient } from '../transport/http';
import { RouterAccess, type RouterSecret } from './access';
import { RouterApi, type RouterLimits } from './api';
import { readModel, readPage, walkModels } from './catalog';
import { InputSchemas } from './inputSchemas';
import type { RouterPrefix } from './prefix';
import { cancelRequest, requestResult, requestStatus } from './requests';
import { runModel } from './run';
import { collect, runQueued } from './runQueued';
import type { ModelRouter } from './types';

/** The router itself lets go after 10 minutes, with a word that must not be missed. */
const HOLD_MS = 660_000;
/** A provider that is down stays so for longer; whoever waits for an hour should hear of it. */
const FAILURES_MS = 120_000;

export interface RouterSettings extends Pick<ConnectSettings, 'rejectUnauthorized' | 'egress' | 'readBudgetMs' | 'contact'> {
	/** As pasted: a slash, `/v1` or `/v2` at the end is fine. */
	baseUrl: string;
	/** Sent to the origin of `baseUrl` only. */
	credential: RouterSecret;
	/** Automatic: found once, by a read. */
	prefix?: 'automatic' | RouterPrefix;
	/** Other time limits, in milliseconds. */
	limits?: Partial<Omit<RouterLimits, 'readBudgetMs'>>;
}

export interface RouterConnection {
	router: ModelRouter;
	/**
	 * Asks once for the first entry of the catalog.
	 * @throws ApiError for a wrong credential; UnreadableAnswerError when something else answers; ConnectionError.
	 */
	verifyAccess(options?: CallOptions): Promise<void>;
	/** Ends whatever is still running. */
	close(): Promise<void>;
}

/**
 * Prepares the way to a model router; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL; ApiError `unauthorized` for an unusable credential.
 */
export function connectRouter(settings: RouterSettings): RouterConnection {
	const { prefix = 'automatic', rejectUnauthorized, egress, readBudgetMs = DEFAULT_LIMITS.readBudgetMs, contact } = settings;
	const address = routerAddress(settings.baseUrl);
	const access = new RouterAccess(settings.credential);
	const http = new HttpClient({ origin: address.origin, credential: access.headers, rejectUnauthorized, contact, ...egress });
	const limits: RouterLimits = {
		...DEFAULT_LIMITS,
		holdMs: HOLD_MS,
		failuresMs: FAILURES_MS,
		pauseScale: 1,
		...settings.limits,
		readBudgetMs,
	};
	const api = new RouterApi(http, address, limits, prefix, access);
	return {
		router: routerOver(api),
		verifyAccess: async ({ signal } = {}) => await api.prefix.verify(signal),
		close: async () => {
			api.end();
			await http.close();
		},
	};
}

function routerOver(api: RouterApi): ModelRouter {
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

function routerAddress(baseUrl: string): ServiceAddress {
	const { origin, prefix } = parseBaseUrl(baseUrl);
	return { origin, prefix: prefix.replace(/\/v[12]$/, '') };
}
