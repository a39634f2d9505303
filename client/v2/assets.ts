import { ApiError } from '../errors';
import type { Asset, AssetReference } from '../job';
import type { AssetOptions, AssetStore, CallOptions, Download, DownloadSource, UploadOptions, UploadResult, UploadSource } from '../services';
import { jsonBody } from '../api';
import { contentHash } from '../contentHash';
import { download } from '../files/download';
import { sendFile } from '../files/sendFile';
import { pathSegment } from '../pathSegment';
import { outcomeOf } from '../transport/outcome';
import { isUnheard } from '../transport/retry';
import type { V2Api } from './api';
import { decodeAsset } from './decode';
import { referenceTo } from './reference';

/** Assets over the v2 interface. */
export class V2AssetStore implements AssetStore {
	constructor(private readonly api: V2Api) {}

	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		if (!options.skipIfStored) return await this.send(source, options);
		const hash = options.hash ?? (await contentHash(await source.open()));
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
		const url = this.api.url(`/assets/by-hash/${pathSegment(hash, 'v2', 'blob_not_found')}`);
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

	reference(asset: Asset): AssetReference {
		return referenceTo(asset);
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}

	private url(assetId: string): URL {
		return this.api.url(`/assets/${pathSegment(assetId, 'v2', 'asset_not_found')}`);
	}

	private async send(source: UploadSource, options: UploadOptions, hash?: string): Promise<UploadResult> {
		const form = { url: this.api.url('/assets'), fields: fieldsOf(source, options, hash), fileField: 'file', fileName: options.filePath };
		const { answer, bytesSent } = await sendFile(this.api, source, form, decodeAsset, options);
		return { asset: answer, bytesSent };
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
