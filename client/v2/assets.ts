import { ApiError, IntegrityError } from '../errors';
import type { Asset, AssetReference } from '../job';
import type { AssetOptions, AssetStore, CallOptions, Download, DownloadSource, UploadOptions, UploadResult, UploadSource } from '../services';
import { jsonBody } from '../api';
import { contentHash } from '../contentHash';
import { download } from '../files/download';
import { multipartForm } from '../transport/multipart';
import { outcomeOf } from '../transport/outcome';
import { isUnheard } from '../transport/retry';
import type { V2Api } from './api';
import { decodeAsset } from './decode';

/** Assets over the v2 interface. */
export class V2AssetStore implements AssetStore {
	constructor(private readonly api: V2Api) {}

	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		if (!options.skipIfStored) return await this.send(source, options);
		const hash = await contentHash(await source.open());
		// The bytes may vanish in between, or turn out to be others' only.
		const stored = (await this.has(hash, options)) ? await unlessMissing(this.fromHash(hash, options)) : undefined;
		return stored ? { asset: stored, bytesSent: 0 } : await this.send(source, options, hash);
	}

	async uploadMask(): Promise<UploadResult> {
		throw new ApiError({ interface: 'v2', code: 'not_implemented', status: 501, message: 'The v2 interface has no masks' });
	}

	async fromHash(hash: string, options: AssetOptions & CallOptions = {}): Promise<Asset> {
		const { filePath, tags, expiresInSeconds, signal } = options;
		const body = jsonBody({ hash, file_path: filePath, tags, expires_in: expiresInSeconds });
		const url = this.api.url('/assets/from-hash');
		return await this.api.repeat(() => this.api.call({ method: 'POST', url, ...body, signal }, decodeAsset), { signal });
	}

	async has(hash: string, { signal }: CallOptions = {}): Promise<boolean> {
		const url = this.api.url(`/assets/by-hash/${encodeURIComponent(hash)}`);
		const head = () => this.api.send({ method: 'HEAD', url, signal, totalMs: this.api.limits.requestMs });
		const response = await unlessMissing(this.api.repeat(head, { signal }));
		await response?.discard();
		return response !== undefined;
	}

	async get(assetId: string, options: CallOptions = {}): Promise<Asset> {
		return await this.api.read(this.url(assetId), decodeAsset, options);
	}

	async delete(assetId: string, { signal }: CallOptions = {}): Promise<void> {
		// Not repeated after a lost answer: the second try would report as missing what the first deleted.
		const remove = () => this.api.send({ method: 'DELETE', url: this.url(assetId), signal, totalMs: this.api.limits.requestMs });
		const response = await this.api.repeat(remove, { signal }, { isWorthRetrying: isUnheard });
		await response.discard();
	}

	reference({ id, hash, file_path }: Asset): AssetReference {
		return { __type: 'core/ASSET', info: { id: id ?? '', ...(hash && { hash }), ...(file_path && { file_path }) } };
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}

	private url(assetId: string): URL {
		return this.api.url(`/assets/${encodeURIComponent(assetId)}`);
	}

	/** Content de-duplicates, so that sending the same file again is safe. */
	private async send(source: UploadSource, options: UploadOptions, hash?: string): Promise<UploadResult> {
		const { signal } = options;
		const attempt = async (): Promise<UploadResult> => {
			const counted = { bytes: 0 };
			const form = multipartForm(fieldsOf(source, options, hash), {
				field: 'file',
				name: options.filePath,
				contentType: source.contentType,
				sizeBytes: source.sizeBytes,
				chunks: count(source, counted),
			});
			const response = await this.api.send({ method: 'POST', url: this.api.url('/assets'), ...form, signal, idleMs: this.api.limits.uploadIdleMs });
			return { asset: await this.api.decoded(response, decodeAsset), bytesSent: counted.bytes };
		};
		return await this.api.repeat(attempt, { signal }, { budgetStarts: 'at_first_failure' });
	}
}

async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
	const outcome = await outcomeOf(promise);
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof ApiError && outcome.error.status === 404) return undefined;
	throw outcome.error;
}

function fieldsOf(source: UploadSource, { filePath, tags = [], expiresInSeconds }: UploadOptions, hash?: string): Array<readonly [string, string]> {
	const fields: Array<readonly [string, string | undefined]> = [
		['content_type', source.contentType],
		['file_path', filePath],
		['expected_hash', hash],
		...tags.map((tag) => ['tags', tag] as const),
		['expires_in', expiresInSeconds?.toString()],
	];
	return fields.filter((field): field is readonly [string, string] => field[1] !== undefined);
}

/** Opened only once the request is being sent, so that a refused connection leaves nothing open. */
async function* count(source: UploadSource, counted: { bytes: number }): AsyncGenerator<Uint8Array> {
	const { sizeBytes = Infinity } = source;
	counted.bytes = 0;
	for await (const chunk of await source.open()) {
		counted.bytes += chunk.byteLength;
		if (counted.bytes > sizeBytes) break;
		yield chunk;
	}
	if (source.sizeBytes !== undefined && counted.bytes !== sizeBytes) throw new IntegrityError('size', String(sizeBytes), String(counted.bytes));
}
