import { jsonBody } from '../requests/serviceApi';
import type {
	AssetOptions,
	AssetRecords,
	AssetStore,
	Download,
	DownloadSource,
	UploadOptions,
	UploadResult,
	UploadSource,
} from '../ports/files';
import { contentHash } from '../files/contentHash';
import { isNotFound } from '../errors/errors';
import { download } from '../files/download';
import { sendFile } from '../files/sendFile';
import { pathSegment } from '../text/identifiers';
import type { Asset, AssetReference } from '../ports/job';
import { logDecision } from '../log/observer';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';
import { hasNoEffect } from '../contact/failures';
import type { V2Api } from './api';
import { decodeAsset, toAssetReference } from './decode';

/** Assets over the v2 interface. */
export class V2AssetStore implements AssetStore {
	readonly records: AssetRecords;

	constructor(private readonly api: V2Api) {
		this.records = new V2AssetRecords(api);
	}

	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		if (!options.skipIfStored) return await this.send(source, options);
		const hash = options.hash ?? (await contentHash(await source.open()));
		// The bytes may be deleted in between, or belong only to others.
		const stored = (await this.records.has(hash, options)) ? await undefinedIfMissing(this.records.fromHash(hash, options)) : undefined;
		logDecision({ kind: stored ? 'file_is_stored' : 'file_is_new' });
		return stored ? { asset: stored, bytesSent: 0 } : await this.send(source, options, hash);
	}

	reference(asset: Asset): AssetReference {
		return toAssetReference(asset);
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}

	private async send(source: UploadSource, options: UploadOptions, hash?: string): Promise<UploadResult> {
		const form = {
			url: this.api.url('/assets'),
			fields: toFormFields(source, options, hash),
			fileField: 'file',
			fileName: options.filePath,
		};
		const { answer, bytesSent } = await sendFile(this.api, source, form, decodeAsset, options);
		return { asset: answer, bytesSent };
	}
}

function toFormFields(
	source: UploadSource,
	{ filePath, tags = [], expiresInSeconds }: UploadOptions,
	hash?: string,
): Array<readonly [string, string]> {
	const fields: Array<readonly [string, string | undefined]> = [
		['content_type', source.contentType],
		['file_path', filePath],
		['expected_hash', hash],
		...tags.map((tag) => ['tags', tag] as const),
		['expires_in', expiresInSeconds?.toString()],
	];
	return fields.filter((field): field is readonly [string, string] => field[1] !== undefined);
}

/** v2's records of files. */
class V2AssetRecords implements AssetRecords {
	constructor(private readonly api: V2Api) {}

	async fromHash(hash: string, options: AssetOptions & CallOptions = {}): Promise<Asset> {
		const { filePath, tags, expiresInSeconds, signal } = options;
		const body = jsonBody({ hash, file_path: filePath, tags, expires_in: expiresInSeconds });
		const url = this.api.url('/assets/from-hash');
		return await this.api.repeat(() => this.api.call({ method: 'POST', url, ...body, signal }, decodeAsset), { signal });
	}

	async has(hash: string, { signal }: CallOptions = {}): Promise<boolean> {
		const url = this.api.url(`/assets/by-hash/${pathSegment(hash, 'v2', 'blob_not_found')}`);
		const head = () => this.api.send({ method: 'HEAD', url, signal, totalMs: this.api.limits.requestMs });
		const response = await undefinedIfMissing(this.api.repeat(head, { signal }));
		await response?.discard();
		return response !== undefined;
	}

	async get(assetId: string, options: CallOptions = {}): Promise<Asset> {
		return await this.api.read(this.url(assetId), decodeAsset, options);
	}

	async delete(assetId: string, { signal }: CallOptions = {}): Promise<void> {
		// Not repeated after a lost response: a second request would report as missing what the first one deleted.
		const remove = () => this.api.send({ method: 'DELETE', url: this.url(assetId), signal, totalMs: this.api.limits.requestMs });
		const response = await this.api.repeat(remove, { signal }, { isWorthRetrying: hasNoEffect });
		await response.discard();
	}

	private url(assetId: string): URL {
		return this.api.url(`/assets/${pathSegment(assetId, 'v2', 'asset_not_found')}`);
	}
}

/** Returns the result; undefined for a 404. */
async function undefinedIfMissing<T>(promise: Promise<T>): Promise<T | undefined> {
	const outcome = await outcomeOf(promise);
	if (outcome.ok) return outcome.value;
	if (isNotFound(outcome.error)) return undefined;
	throw outcome.error;
}
