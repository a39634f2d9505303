import { jsonBody } from '../api';
import { ApiError } from '../errors';
import type { Asset } from '../job';
import { pathSegment } from '../pathSegment';
import type { AssetOptions, AssetRecords, CallOptions } from '../ports';
import { outcomeOf } from '../transport/outcome';
import { isUnheard } from '../transport/retry';
import type { V2Api } from './api';
import { decodeAsset } from './decode';

/** What v2 knows of files. */
export class V2AssetRecords implements AssetRecords {
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

	private url(assetId: string): URL {
		return this.api.url(`/assets/${pathSegment(assetId, 'v2', 'asset_not_found')}`);
	}
}

/** Undefined for what the service does not have. */
export async function unlessMissing<T>(promise: Promise<T>): Promise<T | undefined> {
	const outcome = await outcomeOf(promise);
	if (outcome.ok) return outcome.value;
	if (outcome.error instanceof ApiError && outcome.error.status === 404) return undefined;
	throw outcome.error;
}
