import { ComfyError, ConnectionError, UnreadableAnswerError, type UnreadableAnswerFacts } from '../errors';
import { codingsOf, decoded, MOST_CODINGS } from './contentCoding';
import type { ExchangeLimits } from './limits';
import { type NumberOptions, parseJson } from './parseJson';
import { parseRetryAfter } from './retryAfter';
import { toComfyError } from './trouble';

/** No JSON of this service comes near; it only keeps a wrong address from filling the memory. */
const LONGEST_TEXT_BYTES = 64 * 1024 * 1024;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface ResponseParts {
	url: URL;
	status: number;
	headers: Record<string, string | string[] | undefined>;
	body: AsyncIterable<Uint8Array>;
	/** Lets go of what is left of the body, and of its connection. */
	drop(): Promise<void>;
	limits: ExchangeLimits;
}

/** One answer: its facts, and its body to be read once (as chunks, text or JSON) or discarded. */
export class HttpResponse {
	readonly url: URL;
	readonly status: number;

	constructor(private readonly parts: ResponseParts) {
		this.url = parts.url;
		this.status = parts.status;
	}

	get ok(): boolean {
		return this.status >= 200 && this.status < 300;
	}

	/** @param name in lower case. */
	header(name: string): string | undefined {
		const value = this.parts.headers[name];
		return Array.isArray(value) ? value[0] : value;
	}

	/** Where a redirect leads; undefined for any other answer. */
	get redirect(): URL | 'invalid' | undefined {
		const location = this.header('location');
		if (location === undefined || !REDIRECTS.has(this.status)) return undefined;
		return URL.canParse(location, this.url.href) ? new URL(location, this.url) : 'invalid';
	}

	get contentType(): string | null {
		return this.header('content-type') ?? null;
	}

	/** By the end of its name, in lower case: vendors differ in the middle (`X-Service-Request-Id`, `X-Comfy-Request-Id`). */
	vendorHeader(suffix: string): string | undefined {
		const name = Object.keys(this.parts.headers).find((header) => header.startsWith('x-') && `-${header.slice(2)}`.endsWith(`-${suffix}`));
		return name === undefined ? undefined : this.header(name);
	}

	/** Whether the body stands in a coding: then Content-Length and ranges count other bytes than `chunks` gives. */
	get isEncoded(): boolean {
		return codingsOf(this.header('content-encoding')).length > 0;
	}

	/** Of the body, from Content-Length; null where the answer does not say. */
	get sizeBytes(): number | null {
		const length = this.header('content-length');
		return length !== undefined && /^\d+$/.test(length) && !this.isEncoded ? Number(length) : null;
	}

	get requestId(): string | undefined {
		return this.vendorHeader('request-id') || undefined;
	}

	get retryAfterMs(): number | undefined {
		return parseRetryAfter(this.header('retry-after'));
	}

	/**
	 * The body's bytes as they come, without their coding. Ending early closes the connection.
	 * @throws ConnectionError when the connection is lost or silent for too long; UnreadableAnswerError for a broken coding;
	 *   StoppedError.
	 */
	async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
		const codings = this.header('content-encoding');
		if (codingsOf(codings).length > MOST_CODINGS) {
			await this.discard();
			throw this.unreadable('unexpected');
		}
		try {
			yield* decoded(this.received(), codings);
		} catch (error) {
			throw error instanceof ComfyError ? error : this.unreadable(isCutShort(error) ? 'truncated' : 'unexpected', { cause: error });
		}
	}

	private async *received(): AsyncGenerator<Uint8Array, void, undefined> {
		const { body, limits, url } = this.parts;
		limits.touch();
		try {
			for await (const chunk of body) {
				limits.received(chunk.byteLength);
				yield chunk;
				limits.touch();
			}
		} catch (error) {
			throw toComfyError(limits.signal.aborted ? limits.signal.reason : error, { origin: url.origin, sent: true });
		} finally {
			limits.release();
		}
	}

	/** What is read here is read whole: it has a total time, where chunks have one between them only. */
	async whole<T>(read: () => Promise<T>): Promise<T> {
		return await this.parts.limits.untilWhole(read);
	}

	/** @throws UnreadableAnswerError when the body ends early. */
	async text(): Promise<string> {
		return await this.whole(async () => await this.allText());
	}

	private async allText(): Promise<string> {
		const chunks: Uint8Array[] = [];
		let length = 0;
		try {
			for await (const chunk of this.chunks()) {
				length += chunk.byteLength;
				if (length > LONGEST_TEXT_BYTES) throw this.unreadable('unexpected');
				chunks.push(chunk);
			}
		} catch (error) {
			throw this.interrupted(error);
		}
		// Without the mark at its beginning that some servers write.
		return new TextDecoder().decode(Buffer.concat(chunks, length));
	}

	/** @throws UnreadableAnswerError when the body is no complete JSON. */
	async json(options?: NumberOptions): Promise<unknown> {
		return this.parseJson(await this.text(), options);
	}

	/**
	 * @param options.orElse the result for text that is no JSON at all; without it that is an error.
	 * @throws UnreadableAnswerError for a web page, half a JSON text, or none.
	 */
	parseJson(text: string, { orElse, ...options }: NumberOptions & { orElse?: unknown } = {}): unknown {
		if (isHtml(this.contentType, text)) throw this.unreadable('html');
		try {
			return parseJson(text, options);
		} catch (error) {
			// The parser's own error quotes the body, so it is no `cause`.
			if (endedEarly(text, error)) throw this.unreadable('truncated');
			if (orElse !== undefined) return orElse;
			throw this.unreadable('not_json');
		}
	}

	/** Nobody wants the body, so that nothing waits for it: what has not come yet is dropped with its connection. */
	async discard(): Promise<void> {
		this.parts.limits.release();
		await this.parts.drop();
	}

	private interrupted(error: unknown): unknown {
		const isCut = error instanceof ConnectionError && error.trouble === 'lost';
		return isCut ? this.unreadable('truncated', { cause: error }) : error;
	}

	unreadable(
		reason: UnreadableAnswerFacts['reason'],
		{ redirectsTo, ...options }: ErrorOptions & Pick<UnreadableAnswerFacts, 'redirectsTo'> = {},
	): UnreadableAnswerError {
		const { status, contentType, requestId, retryAfterMs } = this;
		const address = `${this.url.origin}${this.url.pathname}`;
		const facts = { status, contentType, requestId, retryAfterMs, reason, address, ...(redirectsTo !== undefined && { redirectsTo }) };
		return new UnreadableAnswerError(facts, options);
	}
}

/** zlib's word for a text that ends before its end. */
const isCutShort = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';

/** Whether a content type is a web page's. */
export const isHtmlType = (contentType: string | null): boolean => /^(text\/html|application\/xhtml)/i.test(contentType ?? '');

const isHtml = (contentType: string | null, text: string): boolean => isHtmlType(contentType) || /^\s*<(!doctype html|html)/i.test(text);

/** V8 names the place where it gave up: at the very end means that more should have come. */
function endedEarly(text: string, error: unknown): boolean {
	const message = error instanceof Error ? error.message : '';
	const position = Number(/position (\d+)/.exec(message)?.[1] ?? NaN);
	return text.trim() !== '' && (/end of JSON|Unterminated/.test(message) || position >= text.trimEnd().length);
}

/** Whether the status alone says enough: gateways in front of a service answer these in words, or pages, of their own. */
export const isGatewayStatus = (status: number): boolean => [401, 402, 403, 413, 429].includes(status) || status >= 500;
