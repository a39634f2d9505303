import type { ServiceAddress } from '../requests/address';
import { type ApiLimits, type RepeatOptions, ServiceApi } from '../requests/serviceApi';
import { clock } from '../async/clock';
import { parseKey } from '../connection/parts';
import { isRecord, parseIfJson } from '../json/decode';
import { ApiError } from '../errors/errors';
import type { CallOptions } from '../ports/jobService';
import type { HttpClient, HttpRequest } from '../transport/http';
import type { HttpResponse } from '../transport/response';
import type { RetryPolicy } from '../contact/policy';
import { DEFAULT_LOST_AFTER_MS } from '../contact/serverContact';
import { decodePage } from './decode';
import { readRouterError } from './errorResponse';
import { PrefixFinder, type RouterPrefix } from './prefix';

export interface RouterLimits extends ApiLimits {
	/** How long one run may keep its connection open, in milliseconds. The router closes it after 10 minutes. */
	holdMs: number;
	/** How long failures of a run without Retry-After are retried, in milliseconds. */
	failuresMs: number;
	/** A factor for every pause between attempts. */
	pauseScale: number;
}

/** The model router. Its routes are below the prefix under which it answers. */
export class RouterApi extends ServiceApi {
	override readonly root = '';
	protected override readonly readOwnError = readRouterError;
	readonly prefix: PrefixFinder;

	constructor(
		http: HttpClient,
		address: ServiceAddress,
		override readonly limits: RouterLimits,
		setting: 'automatic' | RouterPrefix,
		private readonly access: RouterAccess,
	) {
		super(http, address, limits);
		this.prefix = new PrefixFinder(setting, {
			ask: async (prefix) => await this.exchange({ method: 'GET', url: this.url(`${prefix}/models?limit=1`), totalMs: limits.requestMs }),
			checkCatalog: async (response) => void (await this.decodeResponse(response, (json) => decodePage(json, response))),
			readRejection: async (response) => await this.readError(response),
		});
	}

	/** @param path below the prefix, already encoded. */
	async route(path: string, { signal }: CallOptions = {}): Promise<URL> {
		return this.url(`${await this.prefix.get(signal)}${path}`);
	}

	/**
	 * Sends once and returns any response.
	 * @throws ApiError `token_expired` before anything is sent; ConnectionError; StoppedError.
	 */
	async exchange(request: HttpRequest): Promise<HttpResponse> {
		this.access.requireUnexpired();
		return await this.http.request(request);
	}

	override async send(request: HttpRequest): Promise<HttpResponse> {
		const response = await this.exchange(request);
		if (response.ok) return response;
		throw await this.readError(response);
	}

	/** Repeats an attempt until the time is over, or until the router has failed for so long that it counts as lost. */
	async repeatFor<T>(
		leftMs: number,
		attempt: () => Promise<T>,
		{ signal }: CallOptions,
		options: Pick<RepeatOptions, 'isWorthRetrying'> = {},
	): Promise<T> {
		const { lostLimitMs = DEFAULT_LOST_AFTER_MS } = this.http.contact ?? {};
		return await this.repeat(attempt, { signal }, { budgetMs: Math.min(leftMs, lostLimitMs), isBudgetHard: true, ...options });
	}

	protected override get readPolicy(): RetryPolicy {
		return { ...super.readPolicy, scale: this.limits.pauseScale };
	}
}

export type RouterSecret = { kind: 'apiKey'; key: string } | { kind: 'jwt'; token: string };

/** The headers for a credential, and its expiry. */
export class RouterAccess {
	readonly headers: Record<string, string>;
	/** Epoch milliseconds; undefined if the credential does not expire. */
	private readonly expiresAt: number | undefined;

	/** @throws ApiError `unauthorized` for a key or token that cannot be sent. */
	constructor(credential: RouterSecret) {
		const isKey = credential.kind === 'apiKey';
		const secret = parseKey('router', isKey ? credential.key : credential.token);
		if (secret === '') this.headers = {};
		else this.headers = isKey ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
		this.expiresAt = isKey ? undefined : readExpiry(secret);
	}

	/**
	 * Checks the expiry, because the router would only say that the token is wrong.
	 * @throws ApiError `token_expired`.
	 */
	requireUnexpired(): void {
		if (this.expiresAt === undefined || clock.wallNow() < this.expiresAt) return;
		const message = `The token expired at ${new Date(this.expiresAt).toISOString()}`;
		throw new ApiError({ interface: 'router', code: 'token_expired', status: 401, message });
	}
}

/** Returns the `exp` claim of a JWT in milliseconds; undefined if it cannot be read. The router then decides. */
function readExpiry(token: string): number | undefined {
	const claims = parseIfJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
	const milliseconds = isRecord(claims) && typeof claims.exp === 'number' ? claims.exp * 1_000 : NaN;
	return Number.isNaN(new Date(milliseconds).getTime()) ? undefined : milliseconds;
}
