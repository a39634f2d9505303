import { clock } from '../clock';
import { ConnectionError } from '../errors';
import { exchanged } from '../observer';
import { aborted } from './abort';
import { type Carrier, dropped } from './carrier';
import { checkAddress, type Egress } from './egress';
import { type ExchangeLimits, exchangeLimits, type LimitOptions } from './limits';
import { type Outcome, outcomeOf } from './outcome';
import { OwnConnections } from './ownConnections';
import { HttpResponse } from './response';
import { SchemeCheck } from './schemeCheck';
import type { ServerContact } from './serverContact';
import { connectionError, toComfyError } from './trouble';
import { USER_AGENT } from './userAgent';

const MOST_REDIRECTS = 5;
/** A read that begins at the end of the time limit for a server still has a chance. */
const SHORTEST_READ_MS = 2_000;
const GOES_EVERYWHERE: ReadonlySet<string> = new Set(['range', 'if-range']);

export interface HttpSettings extends Egress {
	/** The one origin that gets the credential. */
	origin: string;
	/** Headers that carry it, names in lower case. */
	credential?: Record<string, string>;
	/** Headers that every origin gets, names in lower case: none where links are signed, which refuse anything added. */
	publicHeaders?: Record<string, string>;
	rejectUnauthorized?: boolean;
	/** Learns from each request to `origin` whether the server answers. */
	contact?: ServerContact;
	/** Any address of anybody's: its path may be what gives access, and is told to no observer. */
	hidesPaths?: true;
}

export interface HttpRequest extends LimitOptions {
	method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
	url: URL;
	/** Names in lower case. Only `range` and `if-range` follow to another origin. */
	headers?: Record<string, string>;
	body?: string | AsyncIterable<Uint8Array>;
	/** Redirects to other origins are followed: for files, which services keep in storage of another name. */
	followsAnywhere?: true;
}

/** The rules of every call to one service and the storage it links to. */
export class HttpClient {
	private readonly carrier: Carrier;
	private readonly scheme: SchemeCheck;
	/** Of the service, as the user entered it. A file's address may come from anybody. */
	private readonly enteredHost: string | undefined;

	constructor(private readonly settings: HttpSettings) {
		this.enteredHost = settings.hidesPaths ? undefined : new URL(settings.origin).hostname;
		this.carrier = settings.carrier ?? new OwnConnections({ ...settings, enteredHost: this.enteredHost });
		this.scheme = new SchemeCheck(this.carrier);
		settings.contact?.origins.add(settings.origin);
	}

	/**
	 * Sends one request, once. Redirects of GET and HEAD are followed by hand; any other redirect is the answer.
	 * @throws UnreadableAnswerError `other_origin` for a redirect to another server, unless the request follows it;
	 *   ConnectionError when no answer came; StoppedError when the signal fires.
	 */
	async request(request: HttpRequest): Promise<HttpResponse> {
		const follows = isRead(request);
		let url = request.url;
		for (let hops = 0; ; hops++) {
			const response = await this.understood({ ...request, url });
			const { redirect } = response;
			if (!follows || redirect === undefined) return response;
			if (!request.followsAnywhere) await requireSameOrigin(response, request.url.origin);
			await response.discard();
			if (hops === MOST_REDIRECTS || redirect === 'invalid') throw response.unreadable('unexpected');
			url = redirect;
		}
	}

	/** Undefined where requests to a server that does not answer have no limit of their own. */
	get contact(): ServerContact | undefined {
		return this.settings.contact;
	}

	/** Closes every connection; running requests end with an error. */
	async close(): Promise<void> {
		await this.carrier.close();
	}

	/** @throws ConnectionError `only_tls` where plain http meets a port that speaks TLS. */
	private async understood(request: HttpRequest): Promise<HttpResponse> {
		const { url, signal } = request;
		const startedAt = clock.realNow();
		const outcome = await outcomeOf(this.exchange(request));
		this.tell(request, outcome, clock.realNow() - startedAt);
		const isDoubtful = outcome.ok
			? outcome.value.status === 400
			: outcome.error instanceof ConnectionError && outcome.error.trouble === 'lost';
		if (isDoubtful && (await this.scheme.speaksOnlyTls(url, signal))) {
			if (outcome.ok) await outcome.value.discard();
			throw connectionError('only_tls', { origin: url.origin });
		}
		if (!outcome.ok) throw outcome.error;
		this.scheme.hasAnswered(url);
		return outcome.value;
	}

	private tell({ method, url }: HttpRequest, outcome: Outcome<HttpResponse>, milliseconds: number): void {
		const { origin, hidesPaths } = this.settings;
		exchanged(() => {
			const address = url.origin + (url.origin === origin && !hidesPaths ? url.pathname : '/…');
			if (!outcome.ok) return { method, address, milliseconds, error: outcome.error };
			const { status, requestId } = outcome.value;
			return { method, address, milliseconds, status, requestId };
		});
	}

	private async exchange(request: HttpRequest): Promise<HttpResponse> {
		const { url, method } = request;
		const contact = url.origin === this.settings.origin ? this.settings.contact : undefined;
		const limits = exchangeLimits(withinContact(request, contact));
		const { signal } = limits;
		let sent = false;
		let sourceFailure: { error: unknown } | undefined;
		try {
			signal.throwIfAborted();
			await checkAddress(url, this.settings, this.enteredHost);
			signal.throwIfAborted();
			const body = bodyOf(request, limits, (error) => {
				sourceFailure = { error };
				return error;
			});
			const answer = this.carrier.carry({ method, url, headers: this.headersFor(request), body, signal }, () => (sent = true));
			const { status, headers, body: answered } = await Promise.race([answer, aborted(signal)]);
			limits.pause();
			contact?.noteAnswer(status);
			return new HttpResponse({ url, status, headers, body: answered, limits, drop: async () => await dropped(answered) });
		} catch (error) {
			limits.release();
			if (sourceFailure) throw sourceFailure.error;
			const failure = toComfyError(signal.aborted ? signal.reason : error, { origin: url.origin, sent });
			contact?.noteFailure(failure, limits.silentSince);
			throw failure;
		}
	}

	/** A signed link refuses anything added, and no other origin may see the credential: only these go everywhere. */
	private headersFor({ url, headers = {} }: HttpRequest): Record<string, string> {
		const { origin, credential, publicHeaders } = this.settings;
		if (url.origin !== origin)
			return { ...publicHeaders, ...Object.fromEntries(Object.entries(headers).filter(([name]) => GOES_EVERYWHERE.has(name))) };
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

/** A read ends with the time limit for a server that does not answer. Anything else keeps its own limits: it may have an effect. */
function withinContact(request: HttpRequest, contact: ServerContact | undefined): HttpRequest {
	const remainingMs = contact?.remainingMs ?? 0;
	if (remainingMs === 0 || !isRead(request)) return request;
	const { totalMs = Infinity, answerMs = Infinity } = request;
	const longestMs = Math.max(remainingMs, SHORTEST_READ_MS);
	return request.totalMs === undefined
		? { ...request, answerMs: Math.min(answerMs, longestMs) }
		: { ...request, totalMs: Math.min(totalMs, longestMs) };
}

const isRead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD';

function bodyOf({ body }: HttpRequest, limits: ExchangeLimits, onFailure: (error: unknown) => unknown): HttpRequest['body'] {
	return body === undefined || typeof body === 'string' ? body : watched(body, limits, onFailure);
}

async function* watched(chunks: AsyncIterable<Uint8Array>, limits: ExchangeLimits, onFailure: (error: unknown) => unknown) {
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
