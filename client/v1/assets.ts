import type { ServiceApi } from '../requests/serviceApi';
import type {
	AssetMasks,
	AssetStore,
	Download,
	DownloadSource,
	MaskOptions,
	UploadOptions,
	UploadResult,
	UploadSource,
} from '../ports/files';
import { uploadImage } from '../comfyui/uploadImage';
import { textOr } from '../json/decode';
import { download } from '../files/download';
import type { Asset, AssetReference } from '../ports/job';
import type { CallOptions } from '../ports/jobService';

/** Files of the v1 interface. Their names have no folders, and equal content is stored once. */
export class V1AssetStore implements AssetStore {
	readonly masks: AssetMasks = { upload: async (source, options) => await this.uploadMask(source, options) };

	constructor(private readonly api: ServiceApi) {}

	/** v1 has no lookup by hash, so the bytes are always sent. */
	async upload(source: UploadSource, options: UploadOptions): Promise<UploadResult> {
		const { use = 'input', overwrite } = options;
		const fields: Array<readonly [string, string]> = [['type', use]];
		if (overwrite !== undefined) fields.push(['overwrite', String(overwrite)]);
		return await uploadImage(this.api, '/upload/image', source, { fields, use, ...options });
	}

	reference({ name }: Asset): AssetReference {
		return textOr(name, '');
	}

	/** Each request to the view link returns a new signed link. */
	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, { freshUrl: () => Promise.resolve(source.url), ...source }, options);
	}

	/** The original image is named, not sent. */
	private async uploadMask(source: UploadSource, options: MaskOptions): Promise<UploadResult> {
		const { filename, subfolder, type } = options.original;
		const fields = [
			['type', 'input'],
			['subfolder', ''],
			['original_ref', JSON.stringify({ filename, subfolder, type })],
		] as const;
		return await uploadImage(this.api, '/upload/mask', source, { fields, use: 'input', ...options });
	}
}
