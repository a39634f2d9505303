import { clock } from '../async/clock';
import { ConnectionError } from '../errors/errors';
import { reportExchange } from '../log/observer';
import { rejectOnAbort } from '../async/abort';
import { ExchangeLimits, exchangeLimits, type LimitOptions } from './limits';
import { checkAddress, discardBody, type HttpDispatcher, type OutboundNetwork } from './outboundNetwork';
import { type Outcome, outcomeOf } from '../async/outcome';
import { HttpResponse, isHtmlType } from './response';
import type { ServerContact } from '../contact/serverContact';
import { connectionError, toComfyError } from './trouble';
import { UndiciDispatcher } from './undiciDispatcher';
import { USER_AGENT } from './userAgent';

const MAX_REDIRECTS = 5;
/** A read that starts at the end of the server's time limit still gets this long. */
const MIN_READ_MS = 2_000;
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set(['range', 'if-range']);

export interface HttpSettings extends OutboundNetwork {
	/** The one origin that gets the credential. */
	origin: string;
	/** Headers that carry it, names in lower case. */
	credential?: Record<string, string>;
	/**
	 * Headers for every origin, names in lower case. Leave them out where links are signed: signed links refuse added
	 * headers.
	 */
	publicHeaders?: Record<string, string>;
	rejectUnauthorized?: boolean;
	/** Records for each request to `origin` whether the server answered. */
	contact?: ServerContact;
	/** The addresses are those of any server on the web. A path may grant access, so no observer sees it. */
	isAnyServer?: true;
}

export interface HttpRequest extends LimitOptions {
	method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
	url: URL;
	/** Names in lower case. Only `range` and `if-range` follow to another origin. */
	headers?: Record<string, string>;
	body?: string | AsyncIterable<Uint8Array>;
	/** The service keeps the request open while it works, so its silence does not mean that it is gone. */
	isHeld?: true;
	/** Follows redirects to other origins. Services keep files in storage on another origin. */
	allowsOtherOrigins?: true;
}

/**
 * Sends every request to one service and to the storage that it links to, and applies the rules for origins, redirects
 * and limits.
 */
export class HttpClient {
	private readonly dispatcher: HttpDispatcher;
	private readonly schemeCheck: SchemeCheck;
	/**
	 * The host of the service as the user entered it. Undefined for files on the web, which may
	 * have any address.
	 */
	private readonly enteredHost: string | undefined;
	private readonly closing = new AbortController();
	/** Fires when the connection is closed. Everything that waits or repeats on this connection ends with it. */
	readonly closed: AbortSignal = this.closing.signal;

	constructor(private readonly settings: HttpSettings) {
		this.enteredHost = settings.isAnyServer ? undefined : new URL(settings.origin).hostname;
		this.dispatcher = settings.dispatcher ?? new UndiciDispatcher({ ...settings, enteredHost: this.enteredHost });
		this.schemeCheck = new SchemeCheck(this.dispatcher, this.closed);
		settings.contact?.origins.add(settings.origin);
	}

	/**
	 * Sends one request, once. It follows redirects of GET and HEAD itself. Any other redirect is returned as the
	 * response.
	 * @throws UnreadableAnswerError `other_origin` for a redirect to another server, unless the request allows it;
	 *   ConnectionError if no answer came; StoppedError when the signal fires, or the connection is closed.
	 */
	async request(request: HttpRequest): Promise<HttpResponse> {
		const followsRedirects = isRead(request);
		let url = request.url;
		for (let hops = 0; ; hops++) {
			const response = await this.sendOnce({ ...request, url });
			const { redirect } = response;
			if (!followsRedirects || redirect === undefined) return response;
			if (!request.allowsOtherOrigins) await requireSameOrigin(response, request.url.origin);
			await response.discard();
			if (hops === MAX_REDIRECTS || redirect === 'invalid') throw response.unreadable('unexpected');
			url = redirect;
		}
	}

	/** Undefined if there is no time limit for a server that does not answer. */
	get contact(): ServerContact | undefined {
		return this.settings.contact;
	}

	/** Ends all running requests with a StoppedError. Later requests throw it too, and open nothing. */
	async close(): Promise<void> {
		this.closing.abort();
		await this.dispatcher.close();
	}

	/**
	 * Sends the request once and reports it to the observer.
	 * @throws ConnectionError `only_tls` if a plain http request reached a port that expects TLS.
	 */
	private async sendOnce(request: HttpRequest): Promise<HttpResponse> {
		const { url, signal } = request;
		const startedAt = clock.realNow();
		const outcome = await outcomeOf(this.dispatch(request));
		this.report(request, outcome, clock.realNow() - startedAt);
		const mayBeTlsPort = outcome.ok
			? outcome.value.status === 400
			: outcome.error instanceof ConnectionError && outcome.error.trouble === 'lost';
		if (mayBeTlsPort && (await this.schemeCheck.speaksOnlyTls(url, signal))) {
			if (outcome.ok) await outcome.value.discard();
			throw connectionError('only_tls', { origin: url.origin });
		}
		if (!outcome.ok) throw outcome.error;
		this.schemeCheck.noteAnswer(url);
		return outcome.value;
	}

	private report({ method, url }: HttpRequest, outcome: Outcome<HttpResponse>, milliseconds: number): void {
		const { origin, isAnyServer } = this.settings;
		reportExchange(() => {
			const address = url.origin + (url.origin === origin && !isAnyServer ? url.pathname : '/…');
			if (!outcome.ok) return { method, address, milliseconds, error: outcome.error };
			const { status, requestId } = outcome.value;
			return { method, address, milliseconds, status, requestId };
		});
	}

	private async dispatch(request: HttpRequest): Promise<HttpResponse> {
		const { url, method } = request;
		const contact = url.origin === this.settings.origin ? this.settings.contact : undefined;
		const limits = exchangeLimits(limitByContact(request, contact), this.closed);
		const { signal } = limits;
		let sent = false;
		let sourceFailure: { error: unknown } | undefined;
		try {
			signal.throwIfAborted();
			await checkAddress(url, this.settings, this.enteredHost);
			signal.throwIfAborted();
			const body = trackBody(request, limits, (error) => {
				sourceFailure = { error };
				return error;
			});
			const answer = this.dispatcher.dispatch({ method, url, headers: this.headersFor(request), body, signal }, () => (sent = true));
			const { status, headers, body: responseBody } = await Promise.race([answer, rejectOnAbort(signal)]);
			limits.pause();
			const discard = async (): Promise<void> => await discardBody(responseBody);
			const response = new HttpResponse({ url, status, headers, body: responseBody, limits, discard });
			contact?.noteAnswer({ status, isHtml: isHtmlType(response.contentType) });
			return response;
		} catch (error) {
			limits.release();
			if (sourceFailure) throw sourceFailure.error;
			const failure = toComfyError(signal.aborted ? signal.reason : error, { origin: url.origin, sent });
			contact?.noteFailure(failure, request.isHeld ? clock.now() : limits.silentSince);
			throw failure;
		}
	}

	/**
	 * Signed links reject added headers, and no other origin may see the credential. Only the range headers go to every
	 * origin.
	 */
	private headersFor({ url, headers = {} }: HttpRequest): Record<string, string> {
		const { origin, credential, publicHeaders } = this.settings;
		if (url.origin !== origin)
			return { ...publicHeaders, ...Object.fromEntries(Object.entries(headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name))) };
		return { 'user-agent': USER_AGENT, 'accept-encoding': 'identity', ...publicHeaders, ...headers, ...credential };
	}
}

/** @throws UnreadableAnswerError `other_origin` for a redirect to another server. */
export async function requireSameOrigin(response: HttpResponse, origin: string): Promise<void> {
	const { redirect } = response;
	if (redirect === undefined || redirect === 'invalid' || redirect.origin === origin || !/^https?:$/.test(redirect.protocol)) return;
	await response.discard();
	throw response.unreadable('other_origin', { redirectsTo: redirect.origin });
}

/**
 * A read ends at the time limit for a server that does not answer. Other requests keep their own limits, because they
 * may have an effect.
 */
function limitByContact(request: HttpRequest, contact: ServerContact | undefined): HttpRequest {
	const remainingMs = contact?.remainingMs ?? 0;
	if (remainingMs === 0 || !isRead(request)) return request;
	const { totalMs = Infinity, answerMs = Infinity } = request;
	const longestMs = Math.max(remainingMs, MIN_READ_MS);
	return request.totalMs === undefined
		? { ...request, answerMs: Math.min(answerMs, longestMs) }
		: { ...request, totalMs: Math.min(totalMs, longestMs) };
}

const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

function trackBody({ body }: HttpRequest, limits: ExchangeLimits, onFailure: (error: unknown) => unknown): HttpRequest['body'] {
	return body === undefined || typeof body === 'string' ? body : trackChunks(body, limits, onFailure);
}

async function* trackChunks(chunks: AsyncIterable<Uint8Array>, limits: ExchangeLimits, onFailure: (error: unknown) => unknown) {
	try {
		for await (const chunk of chunks) {
			limits.touch();
			yield chunk;
		}
		limits.touch();
	} catch (error) {
		throw onFailure(error);
	}
}

const TLS_PROBE_MS = 3_000;

/**
 * Detects a plain http request to a port that expects TLS. Such a server closes the connection, or answers 400 with its
 * own text. If a server that has never answered does this, it gets one TLS request without a key.
 */
class SchemeCheck {
	private readonly answeredOrigins = new Set<string>();

	constructor(
		private readonly dispatcher: HttpDispatcher,
		private readonly closed: AbortSignal,
	) {}

	/** Records that the server answered in the protocol of the request. */
	noteAnswer({ origin }: URL): void {
		this.answeredOrigins.add(origin);
	}

	async speaksOnlyTls(url: URL, signal?: AbortSignal): Promise<boolean> {
		if (url.protocol !== 'http:' || this.answeredOrigins.has(url.origin)) return false;
		const secure = new URL(`https://${url.hostname}:${url.port || 80}`);
		const limits = new ExchangeLimits({ signal, totalMs: TLS_PROBE_MS }, this.closed);
		const probing = this.dispatcher.dispatch(
			{ method: 'HEAD', url: secure, headers: {}, signal: limits.signal, anyCertificate: true },
			() => undefined,
		);
		const probe = await outcomeOf(Promise.race([probing, rejectOnAbort(limits.signal)]));
		limits.release();
		if (probe.ok) await discardBody(probe.value.body);
		else this.noteAnswer(url);
		return probe.ok;
	}
}
