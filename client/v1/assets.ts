import type { ServiceApi } from '../api';
import { recordOf, requiredText, textOr } from '../fields';
import { download } from '../files/download';
import { sendFile } from '../files/sendFile';
import type { Asset, AssetReference } from '../job';
import type { JsonRecord } from '../records';
import type { AssetStore, CallOptions, Download, DownloadSource, MaskOptions, UploadOptions, UploadResult, UploadSource } from '../services';
import { notImplemented } from './unavailable';
import { viewLink } from './view';

const ONLY_V2 = 'The v1 interface knows files by their names only; asset records and hashes are v2’s';

/** Files over the v1 interface: one flat namespace, in which content de-duplicates. */
export class V1AssetStore implements AssetStore {
	constructor(private readonly api: ServiceApi) {}

	/** v1 cannot be asked for bytes by their hash: they are always sent. */
	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		const { use = 'input', overwrite } = options;
		const fields: Array<readonly [string, string]> = [['type', use]];
		if (overwrite !== undefined) fields.push(['overwrite', String(overwrite)]);
		return await sendImage(this.api, '/upload/image', source, { fields, use, ...options });
	}

	/** The original is named, not sent. */
	async uploadMask(source: UploadSource, options: MaskOptions): Promise<UploadResult> {
		const { filename, subfolder, type } = options.original;
		const fields = [
			['type', 'input'],
			['subfolder', ''],
			['original_ref', JSON.stringify({ filename, subfolder, type })],
		] as const;
		return await sendImage(this.api, '/upload/mask', source, { fields, use: 'input', ...options });
	}

	async fromHash(): Promise<Asset> {
		throw notImplemented(ONLY_V2);
	}

	async has(): Promise<boolean> {
		throw notImplemented(ONLY_V2);
	}

	async get(): Promise<Asset> {
		throw notImplemented(ONLY_V2);
	}

	async delete(): Promise<void> {
		throw notImplemented(ONLY_V2);
	}

	reference({ name }: Asset): AssetReference {
		return textOr(name, '');
	}

	/** The view link makes a new signed one whenever it is asked. */
	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, { freshUrl: () => Promise.resolve(source.url), ...source }, options);
	}
}

/** Sends a file by the routes that v1 and engines share. */
export async function sendImage(api: ServiceApi, path: string, source: UploadSource, { fields, use, filePath, signal }: FileFacts): Promise<UploadResult> {
	const form = { url: api.url(path), fields, fileField: 'image', fileName: filePath };
	const { answer, bytesSent } = await sendFile(api, source, form, decodeUploaded, { signal });
	const reference = { filename: answer.name, subfolder: textOr(answer.subfolder, ''), type: textOr(answer.type, use) };
	const asset = {
		...answer,
		id: null,
		hash: null,
		size_bytes: bytesSent,
		content_type: source.contentType,
		created_at: null,
		url: viewLink(api, reference),
		url_expires_at: null,
		job_id: null,
		file_path: null,
		created_new: null,
		expires_at: null,
		subfolder: reference.subfolder,
		type: reference.type,
	};
	return { asset, bytesSent };
}

interface FileFacts extends CallOptions {
	fields: ReadonlyArray<readonly [name: string, value: string]>;
	/** What the file is for, where the answer does not say. */
	use: string;
	filePath: string;
}

/** @throws ShapeError when this names no file. */
function decodeUploaded(value: unknown): JsonRecord & { name: string } {
	const answer = recordOf(value, 'upload answer');
	return { ...answer, name: requiredText(answer.name, 'name') };
}
