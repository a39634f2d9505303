import type { LookupFunction } from 'node:net';

import { parseBaseUrl } from './address';
import { type ApiLimits, DEFAULT_LIMITS } from './api';
import { ApiError } from './errors';
import type { AssetStore, CallOptions, HostedAccount, JobFeed, JobService } from './services';
import { HttpClient, type HttpSettings } from './transport/http';
import { connectionError } from './transport/trouble';
import { V2Api } from './v2/api';
import { V2AssetStore } from './v2/assets';
import { V2JobService } from './v2/service';
import { verifyV2Access } from './v2/verify';

export interface ConnectSettings {
	interface: 'v2' | 'v1';
	/** As pasted: a slash or `/api/v2` at the end is fine. */
	baseUrl: string;
	/** API key or bearer token; sent to the origin of `baseUrl` only. */
	token?: string;
	/** Puts the service's own links on the origin of `baseUrl`: for a proxy behind a TLS front, which writes wrong ones. */
	keepLinksOnBaseOrigin?: boolean;
	/** False accepts any certificate. */
	rejectUnauthorized?: boolean;
	egress?: {
		lookup?: LookupFunction;
		/** Rejects addresses that must not be called; asked before every hop. */
		validateUrl?: (url: URL) => Promise<void>;
	};
	/** How long one read is retried, in milliseconds (30,000). */
	readBudgetMs?: number;
	/** Where the account's v1 interface is: v2 looks there for jobs whose answer was lost, if it lists none itself. */
	hostedUrl?: string;
	/** Other time limits, in milliseconds. */
	limits?: Partial<Omit<ApiLimits, 'readBudgetMs'>>;
}

export interface Connection {
	jobs: JobService;
	assets: AssetStore;
	/** On v1 only. */
	hosted?: HostedAccount;
	/** All jobs of the account, on v1 only. */
	feed?: JobFeed;
	/** @see verifyAccess */
	verifyAccess(options?: CallOptions): Promise<void>;
	/** Ends whatever is still running. */
	close(): Promise<void>;
}

/**
 * Prepares the way to a service; sends nothing yet.
 * @throws ConnectionError `invalid_address` for an unusable base URL.
 */
export function connect(settings: ConnectSettings): Connection {
	const address = parseBaseUrl(settings.baseUrl);
	const { rejectUnauthorized, readBudgetMs = DEFAULT_LIMITS.readBudgetMs, limits } = settings;
	const http = openClient({ origin: address.origin, credential: credentialOf(settings), rejectUnauthorized, ...settings.egress });
	const api = new V2Api(http, address, { ...DEFAULT_LIMITS, ...limits, readBudgetMs }, settings.keepLinksOnBaseOrigin ?? false);
	return {
		jobs: new V2JobService(api),
		assets: new V2AssetStore(api),
		verifyAccess: (options) => verifyV2Access(api, options),
		close: () => http.close(),
	};
}

/** The system's proxy address may be unusable too. */
function openClient(settings: HttpSettings): HttpClient {
	try {
		return new HttpClient(settings);
	} catch (cause) {
		throw connectionError('invalid_address', { origin: '', cause });
	}
}

/** @throws ApiError `unauthorized` for a key that cannot be sent. */
function credentialOf({ interface: name, token }: ConnectSettings): Record<string, string> {
	const key = token?.trim() ?? '';
	if (key === '') return {};
	if (!/^[\x21-\x7e]+$/.test(key)) {
		const message = 'The key holds characters that cannot be sent; paste it again';
		throw new ApiError({ interface: name, code: 'unauthorized', status: 401, message });
	}
	return name === 'v1' ? { 'x-api-key': key } : { authorization: `Bearer ${key}` };
}
