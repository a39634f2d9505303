import type { RepeatOptions, ServiceApi } from '../requests/serviceApi';
import type { Download, DownloadSource } from '../ports/files';
import { isTransient } from '../contact/failures';
import { growingPauseMs, POLICIES } from '../contact/policy';
import { createContentHasher, isContentHash } from './contentHash';
import { IntegrityError } from '../errors/errors';
import { logDecision } from '../log/observer';
import type { CallOptions } from '../ports/jobService';
import { delay } from '../async/delay';
import type { HttpRequest } from '../transport/http';
import { type HttpResponse, isHtmlType } from '../transport/response';
import { parseDispositionName } from './fileNames';

const MAX_STALLS = 4;
/**
 * A connection that delivers less counts as no progress. Otherwise a server could send one byte for each connection
 * forever.
 */
const MIN_PROGRESS_BYTES = 8 * 1024;

/**
 * Starts a download and waits for its headers. Read `bytes` (or end it) to free the connection.
 * @throws ApiError, UnreadableAnswerError or ConnectionError if the download cannot start.
 */
export async function download(
	api: ServiceApi,
	source: DownloadSource,
	options: CallOptions = {},
	repeatOptions: Pick<RepeatOptions, 'isWorthRetrying'> = {},
): Promise<Download> {
	const file = new RemoteFile(api, source, options);
	api.http.contact?.noteWork();
	const { patienceMs } = source;
	const patience = patienceMs === undefined ? {} : { budgetMs: patienceMs, contact: undefined };
	const reopen = (offset: number) => api.repeat(() => file.open(offset), options, { ...patience, ...repeatOptions });
	const first = await reopen(0);
	if (first === undefined) throw new IntegrityError('size', String(source.sizeBytes), '0');
	const { response } = first;
	const bytes = verifyBytes(resumeUntilComplete(first, file.totalBytes ?? (source.sizeBytes || null), reopen, options), source);
	return {
		fileName: parseDispositionName(response.header('content-disposition')),
		contentType: response.contentType,
		sizeBytes: file.totalBytes,
		bytes,
	};
}

/** The bytes of one file, over as many connections as needed. */
async function* resumeUntilComplete(
	first: FilePart,
	total: number | null,
	reopen: (offset: number) => Promise<FilePart | undefined>,
	{ signal }: CallOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
	let received = 0;
	let stalls = 0;
	for (let part: FilePart | undefined = first; part; part = await reopen(received)) {
		const before = received;
		let failure: unknown;
		try {
			for await (const chunk of skipDelivered(part)) {
				received += chunk.byteLength;
				yield chunk;
			}
			// Only a Content-Length of 0 proves that a file is empty.
			if (total === null && received > 0) return;
			failure = part.response.unreadable('truncated');
		} catch (error) {
			failure = error;
		}
		if (total !== null && received >= total) return;
		stalls = received - before >= MIN_PROGRESS_BYTES ? 0 : stalls + 1;
		if (!isTransient(failure) || stalls > MAX_STALLS) throw failure;
		logDecision({ kind: 'download_resumes', atByte: received, totalBytes: total, error: failure });
		await delay(growingPauseMs(POLICIES.resume, stalls + 1, Math.random()), signal);
	}
}

async function* skipDelivered({ response, skip }: FilePart): AsyncGenerator<Uint8Array, void, undefined> {
	for await (const chunk of response.chunks()) {
		if (skip < chunk.byteLength) yield skip === 0 ? chunk : chunk.subarray(skip);
		skip -= Math.min(skip, chunk.byteLength);
	}
}

/** Passes the bytes through. At the end it throws an IntegrityError if the announced size or hash does not match. */
async function* verifyBytes(
	chunks: AsyncIterable<Uint8Array>,
	{ sizeBytes, hash }: DownloadSource,
): AsyncGenerator<Uint8Array, void, undefined> {
	const hasher = isContentHash(hash) ? await createContentHasher() : undefined;
	let received = 0;
	for await (const chunk of chunks) {
		received += chunk.byteLength;
		if (sizeBytes && received > sizeBytes) break;
		hasher?.update(chunk);
		yield chunk;
	}
	if (sizeBytes && received !== sizeBytes) throw new IntegrityError('size', String(sizeBytes), String(received));
	const actual = hasher?.digest();
	if (hash && actual !== undefined && actual !== hash.toLowerCase()) throw new IntegrityError('hash', hash, actual);
}

/** The statuses with which storage answers an expired signed link. */
const EXPIRED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

interface PartHeaders {
	start: number;
	totalBytes: number | null;
	version?: string;
}

export interface FilePart {
	response: HttpResponse;
	/** The number of bytes at the start of the body that were delivered before, because the server ignored `Range`. */
	skip: number;
}

/** One file behind a link that may expire. It can be opened at any offset. */
class RemoteFile {
	private url: string;
	/** The link is a new one, and has not worked yet. */
	private isLinkFresh = false;
	/** Its strong ETag. A weak ETag does not identify the bytes. */
	private version?: string;
	private isEncoded = false;
	/** From the service's responses; null if they do not say. */
	totalBytes: number | null = null;

	constructor(
		private readonly api: ServiceApi,
		private readonly source: DownloadSource,
		private readonly options: CallOptions,
	) {
		this.url = source.url;
	}

	/**
	 * @returns undefined if there are no bytes after this offset.
	 * @throws IntegrityError if the file has changed; ApiError, UnreadableAnswerError, ConnectionError.
	 */
	async open(offset: number): Promise<FilePart | undefined> {
		const response = await this.request(offset);
		if (response.ok) return await this.acceptPart(response, offset);
		if (response.status === 416 && offset > 0) return await this.checkEnd(response, offset);
		if (!this.mayHaveExpired(response)) throw await this.api.readError(response);
		await response.discard();
		logDecision({ kind: 'link_expired', status: response.status });
		this.isLinkFresh = true;
		this.url = (await this.source.freshUrl?.(this.options)) ?? this.url;
		return await this.open(offset);
	}

	private async request(offset: number): Promise<HttpResponse> {
		const { api, options } = this;
		const { downloadIdleMs, downloadSlowMs, requestMs } = api.limits;
		return await api.http.request({
			method: 'GET',
			url: api.link(this.url),
			headers: this.rangeFrom(offset),
			allowsOtherOrigins: true,
			signal: options.signal,
			idleMs: downloadIdleMs,
			slowMs: downloadSlowMs,
			wholeMs: requestMs,
		});
	}

	/** A range of a compressed body would count compressed bytes. */
	private rangeFrom(offset: number): HttpRequest['headers'] {
		if (offset === 0 || this.isEncoded) return undefined;
		return { range: `bytes=${offset}-`, ...(this.version !== undefined && { 'if-range': this.version }) };
	}

	/** Checks that the response is a part of the same file, and that it starts at or before the offset. */
	private async acceptPart(response: HttpResponse, offset: number): Promise<FilePart> {
		const part = parsePart(response);
		const fault = this.findFault(response, part, offset);
		if (fault !== undefined || part === undefined) {
			await response.discard();
			throw fault;
		}
		this.version ??= part.version;
		this.totalBytes ??= part.totalBytes;
		this.isEncoded = response.isEncoded;
		this.isLinkFresh = false;
		return { response, skip: offset - part.start };
	}

	private findFault(response: HttpResponse, part: PartHeaders | undefined, offset: number): Error | undefined {
		if (this.isWebPage(response)) return response.unreadable('html');
		if (part === undefined || part.start > offset) return response.unreadable('unexpected');
		return compareFacts('version', this.version, part.version) ?? compareFacts('size', this.totalBytes, part.totalBytes);
	}

	private isWebPage({ contentType }: HttpResponse): boolean {
		const expected = this.source.contentType;
		return expected !== undefined && isHtmlType(contentType) && !isHtmlType(expected);
	}

	private async checkEnd(response: HttpResponse, offset: number): Promise<undefined> {
		await response.discard();
		const total = /^bytes \*\/(\d+)$/.exec(response.header('content-range') ?? '')?.[1];
		if (total !== String(offset)) throw new IntegrityError('size', total ?? 'unknown', String(offset));
	}

	/** A 400 or 401 of the service itself is not about the link. */
	private mayHaveExpired(response: HttpResponse): boolean {
		const { status } = response;
		if (this.source.freshUrl === undefined || this.isLinkFresh || !EXPIRED_STATUSES.has(status)) return false;
		return this.isStorage(response) || ![400, 401].includes(status);
	}

	private isStorage({ url }: HttpResponse): boolean {
		return url.origin !== this.api.address.origin;
	}
}

/** @returns undefined if the response is not a file, or if it does not say which part it is. */
function parsePart(response: HttpResponse): PartHeaders | undefined {
	const version = /^"[^"]*"$/.exec(response.header('etag') ?? '')?.[0];
	if (response.status === 200) return { start: 0, totalBytes: response.sizeBytes, version };
	const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.header('content-range') ?? '') ?? [];
	if (response.status !== 206 || start === undefined || total === undefined) return undefined;
	return { start: Number(start), totalBytes: total === '*' ? null : Number(total), version };
}

function compareFacts(
	what: IntegrityError['what'],
	before: string | number | null = null,
	now: string | number | null = null,
): IntegrityError | undefined {
	return before === null || now === null || before === now ? undefined : new IntegrityError(what, String(before), String(now));
}
