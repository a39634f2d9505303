import { parseBaseUrl, type ServiceAddress } from '../requests/address';
import { DEFAULT_LIMITS } from '../requests/serviceApi';
import type { ConnectSettings } from '../connection/connection';
import type { CallOptions } from '../ports/jobService';
import { HttpClient } from '../transport/http';
import { RouterAccess, RouterApi, type RouterLimits, type RouterSecret } from './api';
import { InputSchemas, type PageOptions, readModel, readPage, walkModels } from './catalog';
import { estimateRun } from './estimate';
import type { RouterPrefix } from './prefix';
import { cancelRequest, requestResult, requestStatus } from './requests';
import { runModel } from './run';
import { collect, runQueued } from './runQueued';

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

/** What the model router offers, over one connection. */
function createRouter(api: RouterApi) {
	const schemas = new InputSchemas(api);
	return {
		page: async (options?: PageOptions) => await readPage(api, options),
		models: walkModels.bind(undefined, api),
		model: readModel.bind(undefined, api),
		inputSchema: schemas.read.bind(schemas),
		estimate: estimateRun.bind(undefined, api),
		run: runModel.bind(undefined, api),
		runQueued: runQueued.bind(undefined, api),
		collect: collect.bind(undefined, api),
		requestStatus: requestStatus.bind(undefined, api),
		requestResult: requestResult.bind(undefined, api),
		cancelRequest: cancelRequest.bind(undefined, api),
	};
}

export type ModelRouter = ReturnType<typeof createRouter>;

function parseRouterAddress(baseUrl: string): ServiceAddress {
	const { origin, prefix } = parseBaseUrl(baseUrl);
	return { origin, prefix: prefix.replace(/\/v[12]$/, '') };
}
