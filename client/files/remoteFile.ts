import type { ServiceApi } from '../api';
import { IntegrityError } from '../errors';
import { decided } from '../observer';
import type { CallOptions, DownloadSource } from '../ports';
import type { HttpRequest } from '../transport/http';
import { isHtmlType, type HttpResponse } from '../transport/response';

/** What storage answers for a signed link that is no longer good. */
const EXPIRED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

interface PartHeaders {
	start: number;
	totalBytes: number | null;
	version?: string;
}

export interface FilePart {
	response: HttpResponse;
	/** Bytes at the start of the body that have been delivered before: the server ignored `Range`. */
	skip: number;
}

/** One file behind a link that may expire, opened at any offset. */
export class RemoteFile {
	private url: string;
	private refreshed = false;
	/** Its strong tag; a weak one stays the same for other bytes, and changes for the same. */
	private version?: string;
	private isEncoded = false;
	/** From the service's own answers; null where it does not say. */
	totalBytes: number | null = null;

	constructor(
		private readonly api: ServiceApi,
		private readonly source: DownloadSource,
		private readonly options: CallOptions,
	) {
		this.url = source.url;
	}

	/**
	 * @returns undefined when nothing is left at this offset.
	 * @throws IntegrityError when the file is another one than before; ApiError, UnreadableAnswerError, ConnectionError.
	 */
	async open(offset: number): Promise<FilePart | undefined> {
		const response = await this.request(offset);
		if (response.ok) return await this.place(response, offset);
		if (response.status === 416 && offset > 0) return await this.atEnd(response, offset);
		if (!this.mayHaveExpired(response)) throw await this.api.refusalOf(response);
		await response.discard();
		decided({ kind: 'asks_for_fresh_link', status: response.status });
		this.refreshed = true;
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
			followsAnywhere: true,
			signal: options.signal,
			idleMs: downloadIdleMs,
			slowMs: downloadSlowMs,
			wholeMs: requestMs,
		});
	}

	/** Of an encoded body, a range would count the encoded bytes. */
	private rangeFrom(offset: number): HttpRequest['headers'] {
		if (offset === 0 || this.isEncoded) return undefined;
		return { range: `bytes=${offset}-`, ...(this.version !== undefined && { 'if-range': this.version }) };
	}

	/** Two answers are parts of one file only if nothing speaks against it. */
	private async place(response: HttpResponse, offset: number): Promise<FilePart> {
		const part = partOf(response);
		const fault = this.isPageInstead(response)
			? response.unreadable('html')
			: part === undefined || part.start > offset
				? response.unreadable('unexpected')
				: (differs('version', this.version, part.version) ?? differs('size', this.totalBytes, part.totalBytes));
		if (fault !== undefined || part === undefined) {
			await response.discard();
			throw fault;
		}
		this.version ??= part.version;
		this.totalBytes ??= part.totalBytes;
		this.isEncoded = response.isEncoded;
		this.refreshed = false;
		return { response, skip: offset - part.start };
	}

	private isPageInstead({ contentType }: HttpResponse): boolean {
		const expected = this.source.contentType;
		return expected !== undefined && isHtmlType(contentType) && !isHtmlType(expected);
	}

	private async atEnd(response: HttpResponse, offset: number): Promise<undefined> {
		await response.discard();
		const total = /^bytes \*\/(\d+)$/.exec(response.header('content-range') ?? '')?.[1];
		if (total !== String(offset)) throw new IntegrityError('size', total ?? 'unknown', String(offset));
	}

	/** A 400 or 401 of the service itself is not about the link. */
	private mayHaveExpired(response: HttpResponse): boolean {
		const { status } = response;
		if (this.source.freshUrl === undefined || this.refreshed || !EXPIRED_STATUSES.has(status)) return false;
		return this.isStorage(response) || ![400, 401].includes(status);
	}

	private isStorage({ url }: HttpResponse): boolean {
		return url.origin !== this.api.address.origin;
	}
}

/** @returns undefined for what is no file, and for a part that does not tell its place. */
function partOf(response: HttpResponse): PartHeaders | undefined {
	const version = /^"[^"]*"$/.exec(response.header('etag') ?? '')?.[0];
	if (response.status === 200) return { start: 0, totalBytes: response.sizeBytes, version };
	const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.header('content-range') ?? '') ?? [];
	if (response.status !== 206 || start === undefined || total === undefined) return undefined;
	return { start: Number(start), totalBytes: total === '*' ? null : Number(total), version };
}

function differs(
	what: IntegrityError['what'],
	before: string | number | null = null,
	now: string | number | null = null,
): IntegrityError | undefined {
	return before === null || now === null || before === now ? undefined : new IntegrityError(what, String(before), String(now));
}
