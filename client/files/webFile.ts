import { type ApiLimits, DEFAULT_LIMITS, ServiceApi } from '../requests/serviceApi';
import type { UploadSource } from '../ports/files';
import {
	type ApiError,
	ComfyError,
	ConnectionError,
	type ConnectionTrouble,
	IntegrityError,
	StoppedError,
	UnreadableAnswerError,
} from '../errors/errors';
import type { FileKind } from '../graph/inputs/files';
import type { CallOptions } from '../ports/jobService';
import { decodePercent } from '../text/text';
import { HttpClient } from '../transport/http';
import type { OutboundNetwork } from '../transport/outboundNetwork';
import { outcomeOf } from '../async/outcome';
import type { HttpResponse } from '../transport/response';
import { USER_AGENT } from '../transport/userAgent';
import { chooseContentType, detectContentType, HEAD_BYTES, isWrongKind } from './contentTypes';
import { download } from './download';
import { peek } from './peek';

export type WebFileFacts =
	/** Not an http or https address. */
	| { fault: 'bad_address' }
	| { fault: 'too_large'; limitBytes: number; sizeBytes: number | null }
	| { fault: 'empty' }
	/** A web page came in place of a file. */
	| { fault: 'web_page' }
	| { fault: 'wrong_kind'; kind: FileKind; contentType: string }
	/** The response is not a file. */
	| { fault: 'refused'; status: number }
	| { fault: 'redirects' }
	/** The server ended the download early, repeatedly. */
	| { fault: 'cut' }
	/** The file changed during the download. */
	| { fault: 'changed' }
	/** `origin`: the origin of the hop that was not reached. */
	| { fault: 'unreachable'; trouble: ConnectionTrouble; origin: string };

/** A file on the web cannot be used. It has been retried already. */
export class WebFileError extends ComfyError {
	constructor(
		/** Scheme, host and path. The rest may be secret. Empty if the address is invalid. */
		readonly address: string,
		readonly facts: WebFileFacts,
		options?: ErrorOptions,
	) {
		super(`No file from ${address} (${facts.fault})`, options);
	}
}

/** Converts an error of a download to a WebFileError. A StoppedError and a WebFileError pass through. */
function toWebFileError(error: unknown, address: string, receivedBytes: number): unknown {
	if (error instanceof StoppedError || error instanceof WebFileError) return error;
	const facts = toFacts(error, receivedBytes);
	return facts === undefined ? error : new WebFileError(address, facts, { cause: error });
}

function toFacts(error: unknown, receivedBytes: number): WebFileFacts | undefined {
	if (error instanceof ConnectionError)
		return error.trouble === 'lost' && receivedBytes > 0
			? { fault: 'cut' }
			: { fault: 'unreachable', trouble: error.trouble, origin: error.origin };
	if (error instanceof IntegrityError) return { fault: 'changed' };
	if (!(error instanceof UnreadableAnswerError)) return undefined;
	const { reason, status } = error.facts;
	if (reason === 'truncated') return { fault: receivedBytes === 0 ? 'empty' : 'cut' };
	return status >= 300 && status < 400 ? { fault: 'redirects' } : { fault: 'refused', status };
}

export interface WebFileOptions extends CallOptions {
	outboundNetwork?: OutboundNetwork;
	/** Larger files are rejected: before the download if the server reports the size, otherwise as soon as they exceed it. */
	largestBytes: number;
	/** The purpose of the file. A file that certainly cannot serve it is rejected. */
	kind?: FileKind;
	/** Other time limits, in milliseconds. */
	limits?: Partial<ApiLimits>;
}

export interface WebFile {
	/** The name from the server, or the end of the address. Not safe as a path. May be empty. */
	fileName: string;
	/** Streams from the server. A second read downloads the file again. */
	source: UploadSource;
	/** Ends everything that is still running. */
	close(): Promise<void>;
}

interface SizeLimit {
	address: string;
	limitBytes: number;
}

interface OpenedFile {
	fileName: string;
	contentType: string;
	sizeBytes: number | null;
	bytes: AsyncIterable<Uint8Array>;
}

/**
 * Opens a file on the web and checks its first bytes. The rest is downloaded when the source is read. It follows
 * redirects, and each hop obeys the address rules. No credential of the service is sent.
 * @throws WebFileError if it is not a file, or not one of this kind; StoppedError.
 */
export async function openWebFile(address: string, options: WebFileOptions): Promise<WebFile> {
	const url = parseWebAddress(address);
	const api = new WebApi(url, options.outboundNetwork, options.limits);
	const opened = await outcomeOf(startDownload(api, url, options));
	if (!opened.ok) {
		await api.http.close();
		throw opened.error;
	}
	const { fileName, contentType, sizeBytes } = opened.value;
	let unreadFile: OpenedFile | undefined = opened.value;
	const open = async () => {
		const { bytes } = unreadFile ?? (await startDownload(api, url, options));
		unreadFile = undefined;
		return bytes;
	};
	return { fileName, source: { open, contentType, ...(sizeBytes !== null && { sizeBytes }) }, close: async () => await api.http.close() };
}

function parseWebAddress(text: string): URL {
	const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new WebFileError('', { fault: 'bad_address' });
	return url;
}

/** Downloads enough bytes to detect the type of the file. */
async function startDownload(api: WebApi, url: URL, { largestBytes, kind, signal }: WebFileOptions): Promise<OpenedFile> {
	const address = url.origin + url.pathname;
	const toError = (facts: WebFileFacts) => new WebFileError(address, facts);
	try {
		const file = await download(api, { url: url.href }, { signal });
		const { sizeBytes } = file;
		if (sizeBytes !== null && sizeBytes > largestBytes) throw toError({ fault: 'too_large', limitBytes: largestBytes, sizeBytes });
		const { head, bytes } = await peek(limitSize(file.bytes, { address, limitBytes: largestBytes }), HEAD_BYTES);
		if (head.byteLength === 0) throw toError({ fault: 'empty' });
		const fileName = file.fileName ?? lastPathSegment(url);
		const detectedType = detectContentType(head);
		const isRightKind = !isWrongKind(detectedType, kind);
		if (detectedType === 'text/html' && !(isRightKind && /\.x?html?$/i.test(fileName))) throw toError({ fault: 'web_page' });
		if (!isRightKind) throw toError({ fault: 'wrong_kind', kind: kind ?? 'any', contentType: detectedType });
		return { fileName, contentType: chooseContentType(head, file.contentType, fileName), sizeBytes, bytes };
	} catch (error) {
		throw toWebFileError(error, address, 0);
	}
}

/** Passes the bytes through up to the limit. */
async function* limitSize(
	bytes: AsyncIterable<Uint8Array>,
	{ address, limitBytes }: SizeLimit,
): AsyncGenerator<Uint8Array, void, undefined> {
	let count = 0;
	try {
		for await (const chunk of bytes) {
			count += chunk.byteLength;
			if (count > limitBytes) throw new WebFileError(address, { fault: 'too_large', limitBytes, sizeBytes: null });
			yield chunk;
		}
	} catch (error) {
		throw toWebFileError(error, address, count);
	}
}

/** Returns the last part of the path, decoded if possible. */
export const lastPathSegment = ({ pathname }: URL): string => decodePercent(pathname.split('/').pop() ?? '');

/**
 * The budget is short, because a misspelt host name would be resolved again and again. File servers are not silent for
 * long either.
 */
const LIMITS: ApiLimits = { ...DEFAULT_LIMITS, readBudgetMs: 10_000, downloadIdleMs: 30_000 };

/** Many servers reject requests without a user agent. */
const PUBLIC_HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': USER_AGENT };

/**
 * Any server on the web, for one address. It gets no key of the service, and every failed response is an error without
 * a code.
 */
class WebApi extends ServiceApi {
	override readonly root = '';

	/** @param url its user and password are sent only to its own origin. */
	constructor(url: URL, network: OutboundNetwork = {}, limits: Partial<ApiLimits> = {}) {
		const http = new HttpClient({
			...network,
			origin: url.origin,
			credential: basicAuthorization(url),
			publicHeaders: PUBLIC_HEADERS,
			isAnyServer: true,
		});
		super(http, { origin: url.origin, prefix: '' }, { ...LIMITS, ...limits });
	}

	protected override readonly readOwnError = async (response: HttpResponse): Promise<ApiError> => {
		await response.discard();
		throw response.unreadable('unexpected');
	};
}

function basicAuthorization({ username, password }: URL): Record<string, string> {
	if (username === '' && password === '') return {};
	const login = `${decodePercent(username)}:${decodePercent(password)}`;
	return { authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}
