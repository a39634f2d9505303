import type { ServiceApi } from '../api';
import { type ComfyError, IntegrityError } from '../errors';
import type { CallOptions, DownloadSource } from '../services';
import { isHtmlType, type HttpResponse } from '../transport/response';

/** What storage answers for a signed link that is no longer good. */
const EXPIRED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 410]);

export interface FilePart {
	response: HttpResponse;
	/** Bytes at the start of the body that have been delivered before: the server ignored `Range`. */
	skip: number;
}

/** One file behind a link that may expire, opened at any offset. */
export class RemoteFile {
	private url: string;
	private refreshed = false;
	private etag?: string;

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
		if (!this.mayHaveExpired(response)) throw await this.refusal(response);
		await response.discard();
		this.refreshed = true;
		this.url = (await this.source.freshUrl?.(this.options)) ?? this.url;
		return await this.open(offset);
	}

	private async request(offset: number): Promise<HttpResponse> {
		const { api, options } = this;
		const { downloadIdleMs, requestMs } = api.limits;
		const headers = offset > 0 ? { range: `bytes=${offset}-` } : undefined;
		return await api.http.request({ method: 'GET', url: api.link(this.url), headers, signal: options.signal, idleMs: downloadIdleMs, wholeMs: requestMs });
	}

	private async place(response: HttpResponse, offset: number): Promise<FilePart> {
		if (this.isPageInstead(response)) {
			await response.discard();
			throw response.unreadable('html');
		}
		const etag = response.header('etag');
		const start = response.status === 206 ? Number(/^bytes (\d+)-/.exec(response.header('content-range') ?? '')?.[1] ?? offset) : 0;
		const isOther = this.etag !== undefined && etag !== undefined && etag !== this.etag;
		if (isOther || start > offset) {
			await response.discard();
			throw isOther ? new IntegrityError('hash', String(this.etag), etag) : response.unreadable('unexpected');
		}
		this.etag ??= etag;
		this.refreshed = false;
		return { response, skip: offset - start };
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

	/** Storage speaks for itself only: its 403 says nothing about the key. */
	private async refusal(response: HttpResponse): Promise<ComfyError> {
		if (!this.isStorage(response)) return await this.api.refusalOf(response);
		await response.discard();
		return response.unreadable('unexpected');
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
