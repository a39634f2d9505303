import { decided } from '../observer';
import { contentHash } from '../contentHash';
import { download } from '../files/download';
import { sendFile } from '../files/sendFile';
import type { Asset, AssetReference } from '../job';
import type { AssetRecords, AssetStore, CallOptions, Download, DownloadSource, UploadOptions, UploadResult, UploadSource } from '../ports';
import type { V2Api } from './api';
import { unlessMissing, V2AssetRecords } from './assetRecords';
import { decodeAsset } from './decode';
import { referenceTo } from './outputReference';

/** Assets over the v2 interface. */
export class V2AssetStore implements AssetStore {
	readonly records: AssetRecords;

	constructor(private readonly api: V2Api) {
		this.records = new V2AssetRecords(api);
	}

	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		if (!options.skipIfStored) return await this.send(source, options);
		const hash = options.hash ?? (await contentHash(await source.open()));
		// The bytes may vanish in between, or turn out to be others' only.
		const stored = (await this.records.has(hash, options)) ? await unlessMissing(this.records.fromHash(hash, options)) : undefined;
		decided({ kind: stored ? 'file_is_stored' : 'file_is_new' });
		return stored ? { asset: stored, bytesSent: 0 } : await this.send(source, options, hash);
	}

	reference(asset: Asset): AssetReference {
		return referenceTo(asset);
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}

	private async send(source: UploadSource, options: UploadOptions, hash?: string): Promise<UploadResult> {
		const form = { url: this.api.url('/assets'), fields: fieldsOf(source, options, hash), fileField: 'file', fileName: options.filePath };
		const { answer, bytesSent } = await sendFile(this.api, source, form, decodeAsset, options);
		return { asset: answer, bytesSent };
	}
}

function fieldsOf(
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
