import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

import { clock } from '../async/clock';
import { ComfyError, ConnectionError, UnreadableAnswerError, type UnreadableAnswerFacts } from '../errors/errors';
import type { ExchangeLimits } from './limits';
import { type NumberOptions, parseJson } from './parseJson';
import { toComfyError } from './trouble';

/** Far above any JSON of this service. It stops a wrong address from filling the memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface ResponseParts {
	url: URL;
	status: number;
	headers: Record<string, string | string[] | undefined>;
	body: AsyncIterable<Uint8Array>;
	/** Discards the rest of the body and closes its connection, unless the body has arrived in full. */
	discard(): Promise<void>;
	limits: ExchangeLimits;
}

/** One response. Its body can be read once, as chunks, text or JSON, or discarded. */
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

	/** The target of a redirect; undefined for any other response. */
	get redirect(): URL | 'invalid' | undefined {
		const location = this.header('location');
		if (location === undefined || !REDIRECTS.has(this.status)) return undefined;
		return URL.canParse(location, this.url.href) ? new URL(location, this.url) : 'invalid';
	}

	get contentType(): string | null {
		return this.header('content-type') ?? null;
	}

	/**
	 * Finds a header by the end of its name, in lower case. Vendors differ in the middle: `X-Service-Request-Id`,
	 * `X-Comfy-Request-Id`.
	 */
	vendorHeader(suffix: string): string | undefined {
		const name = Object.keys(this.parts.headers).find((header) => header.startsWith('x-') && `-${header.slice(2)}`.endsWith(`-${suffix}`));
		return name === undefined ? undefined : this.header(name);
	}

	/** Whether the body is compressed. If so, Content-Length and ranges count other bytes than `chunks` returns. */
	get isEncoded(): boolean {
		return parseContentCodings(this.header('content-encoding')).length > 0;
	}

	/** The size of the body from Content-Length; null if the response does not say. */
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
	 * The decompressed bytes of the body, as they arrive. Ending early closes the connection.
	 * @throws ConnectionError if the connection is lost or silent for too long; UnreadableAnswerError for broken
	 *   compression; StoppedError.
	 */
	async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
		const codings = this.header('content-encoding');
		if (parseContentCodings(codings).length > MAX_CODINGS) {
			await this.discard();
			throw this.unreadable('unexpected');
		}
		try {
			yield* decompress(this.receive(), codings);
		} catch (error) {
			throw error instanceof ComfyError ? error : this.unreadable(isTruncatedData(error) ? 'truncated' : 'unexpected', { cause: error });
		}
	}

	private async *receive(): AsyncGenerator<Uint8Array, void, undefined> {
		const { body, limits, url } = this.parts;
		limits.touch();
		try {
			for await (const chunk of body) {
				limits.noteBytes(chunk.byteLength);
				yield chunk;
				limits.touch();
			}
		} catch (error) {
			throw toComfyError(limits.signal.aborted ? limits.signal.reason : error, { origin: url.origin, sent: true });
		} finally {
			limits.release();
		}
	}

	/**
	 * Applies the total time limit for a body that is read in full. `chunks` alone limits only the silence between two
	 * chunks.
	 */
	async withTotalLimit<T>(read: () => Promise<T>): Promise<T> {
		return await this.parts.limits.limitWhole(read);
	}

	/** @throws UnreadableAnswerError when the body ends early. */
	async text(): Promise<string> {
		return await this.withTotalLimit(async () => await this.readText());
	}

	private async readText(): Promise<string> {
		const chunks: Uint8Array[] = [];
		let length = 0;
		try {
			for await (const chunk of this.chunks()) {
				length += chunk.byteLength;
				if (length > MAX_TEXT_BYTES) throw this.unreadable('unexpected');
				chunks.push(chunk);
			}
		} catch (error) {
			throw this.toReadError(error);
		}
		// TextDecoder removes the byte order mark that some servers write.
		return new TextDecoder().decode(Buffer.concat(chunks, length));
	}

	/**
	 * Reads the body as JSON.
	 * @throws UnreadableAnswerError if the body is not complete JSON.
	 */
	async json(options?: NumberOptions): Promise<unknown> {
		return this.parseJson(await this.text(), options);
	}

	/**
	 * @param options.orElse the result for text that is not JSON. Without it, such text is an error.
	 * @throws UnreadableAnswerError for a web page, incomplete JSON, or text that is not JSON.
	 */
	parseJson(text: string, { orElse, ...options }: NumberOptions & { orElse?: unknown } = {}): unknown {
		if (isHtml(this.contentType, text)) throw this.unreadable('html');
		try {
			return parseJson(text, options);
		} catch (error) {
			// The parser's error quotes the body, so it is not set as `cause`.
			if (isTruncatedJson(text, error)) throw this.unreadable('truncated');
			if (orElse !== undefined) return orElse;
			throw this.unreadable('not_json');
		}
	}

	/** Discards the body without waiting for the rest of it. The connection closes if bytes are still missing. */
	async discard(): Promise<void> {
		this.parts.limits.release();
		await this.parts.discard();
	}

	private toReadError(error: unknown): unknown {
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

/** zlib reports this code for compressed data that ends early. */
const isTruncatedData = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';

/** Whether a content type is a web page's. */
export const isHtmlType = (contentType: string | null): boolean => /^(text\/html|application\/xhtml)/i.test(contentType ?? '');

const isHtml = (contentType: string | null, text: string): boolean => isHtmlType(contentType) || /^\s*<(!doctype html|html)/i.test(text);

/** V8 reports the position of the error. A position at the very end means that the text is incomplete. */
function isTruncatedJson(text: string, error: unknown): boolean {
	const message = error instanceof Error ? error.message : '';
	const position = Number(/position (\d+)/.exec(message)?.[1] ?? NaN);
	return text.trim() !== '' && (/end of JSON|Unterminated/.test(message) || position >= text.trimEnd().length);
}

/**
 * Whether the status alone is enough to build an error. Gateways answer these statuses with their own text or web
 * pages.
 */
export const isGatewayStatus = (status: number): boolean => [401, 402, 403, 413, 429].includes(status) || status >= 500;

/** Without this minimum, `Retry-After: 0` would cause a busy loop. */
const MIN_RETRY_AFTER_MS = 1_000;
/** Every wait also has its own budget, which may be shorter. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Reads a `Retry-After` header: seconds (decimals too) or an HTTP date.
 * @returns milliseconds to wait, 1,000 to 3,600,000; undefined when the header is absent or unreadable.
 */
export function parseRetryAfter(header: string | undefined, now = clock.wallNow()): number | undefined {
	const text = header?.trim();
	if (!text) return undefined;
	const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : parseDate(text, now);
	if (milliseconds === undefined) return undefined;
	return Math.min(Math.max(milliseconds, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
}

/** `Date.parse` reads a bare signed number as a year. A date starts with the letters of a weekday. */
function parseDate(text: string, now: number): number | undefined {
	const date = /^[a-z]/i.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : date - now;
}

const DECODERS = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
} as const;

/** Returns the content codings of a body in the order in which they were applied. Unknown codings are ignored. */
const parseContentCodings = (header: string | undefined): Array<keyof typeof DECODERS> =>
	(header ?? '')
		.toLowerCase()
		.split(',')
		.map((coding) => coding.trim())
		.filter((coding): coding is keyof typeof DECODERS => Object.hasOwn(DECODERS, coding));

/** More than the one or two that gateways add. Each one can expand the data a thousandfold. */
const MAX_CODINGS = 3;

/** Decompresses the body. We ask for no compression, but some servers and gateways compress anyway. */
async function* decompress(chunks: AsyncIterable<Uint8Array>, header: string | undefined): AsyncGenerator<Uint8Array, void, undefined> {
	const decoders = parseContentCodings(header)
		.reverse()
		.map((coding) => DECODERS[coding]());
	const last = decoders.at(-1);
	if (last === undefined) return yield* chunks;
	// If the consumer stops early, the pipeline also closes its source.
	pipeline([Readable.from(chunks), ...decoders]).catch(() => undefined);
	for await (const chunk of last) yield chunk as Uint8Array;
}
