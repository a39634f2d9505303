import type { ServiceApi } from '../requests/serviceApi';
import type {
	AssetMasks,
	AssetStore,
	Download,
	DownloadSource,
	ImageConversions,
	MaskOptions,
	UploadOptions,
	UploadResult,
	UploadSource,
} from '../ports/files';
import { toFileUrl } from '../comfyui/outputs';
import { uploadImage } from '../comfyui/uploadImage';
import { textOr } from '../json/decode';
import { ApiError } from '../errors/errors';
import { download } from '../files/download';
import { downloadConverted } from './conversions';
import { toAnnotatedName } from '../files/fileNames';
import type { Asset, AssetReference, FileReference } from '../ports/job';
import type { CallOptions } from '../ports/jobService';
import { outcomeOf } from '../async/outcome';

/** Files in the folders of an engine. Its routes accept any file, despite their names. */
export class EngineAssetStore implements AssetStore {
	readonly masks: AssetMasks = { upload: async (source, options) => await this.uploadMask(source, options) };

	readonly conversions: ImageConversions = {
		download: async (url, format, options = {}) => await downloadConverted(this.api, url, format, options),
	};

	constructor(private readonly api: ServiceApi) {}

	/** Without `overwrite`, the engine renames a file if another one has its name and different bytes. */
	async upload(source: UploadSource, { filePath, use = 'input', overwrite, signal }: UploadOptions): Promise<UploadResult> {
		const { folder, name } = splitPath(filePath);
		const fields: Array<readonly [string, string]> = [
			['type', use],
			['subfolder', folder],
		];
		if (overwrite !== undefined) fields.push(['overwrite', String(overwrite)]);
		return await uploadImage(this.api, '/upload/image', source, { fields, use, filePath: name, signal });
	}

	reference({ name, subfolder, type }: Asset): AssetReference {
		return toAnnotatedName({ filename: textOr(name, ''), subfolder: textOr(subfolder, ''), type: textOr(type, 'input') });
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}

	/**
	 * The engine writes the mask into a copy of the original, and stores the copy under the mask's name.
	 * @throws ApiError `original_not_found`. The engine does not report this: it answers 200 and stores nothing.
	 */
	private async uploadMask(source: UploadSource, { filePath, original, signal }: MaskOptions): Promise<UploadResult> {
		const { folder, name } = splitPath(filePath);
		const { filename, subfolder, type } = splitReference(original);
		await this.requireFile({ filename, subfolder, type }, { signal });
		const fields = [
			['type', 'input'],
			['subfolder', folder],
			['original_ref', JSON.stringify({ filename, subfolder, type })],
		] as const;
		return await uploadImage(this.api, '/upload/mask', source, { fields, use: 'input', filePath: name, signal });
	}

	private async requireFile(file: FileReference, { signal }: CallOptions): Promise<void> {
		const url = this.api.link(toFileUrl(this.api, file));
		const firstByte = { method: 'GET' as const, url, headers: { range: 'bytes=0-0' }, signal, totalMs: this.api.limits.requestMs };
		const result = await outcomeOf(this.api.repeat(() => this.api.send(firstByte), { signal }));
		if (result.ok) return await result.value.discard();
		if (!(result.error instanceof ApiError) || result.error.status !== 404) throw result.error;
		throw new ApiError({
			interface: 'engine',
			code: 'original_not_found',
			status: 404,
			message: [file.subfolder, file.filename].filter(Boolean).join('/'),
		});
	}
}

function splitPath(filePath: string): { folder: string; name: string } {
	const parts = filePath.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
	return { folder: parts.slice(0, -1).join('/'), name: parts.at(-1) ?? filePath };
}

const ANNOTATED_NAME = /^(.*) \[(input|output|temp)\]$/;

/** Splits a name into name, folder and type. A name may contain its folder and, as in graphs, its type. */
function splitReference({ filename, subfolder, type }: FileReference): FileReference {
	const [, path = filename, annotatedType = type] = ANNOTATED_NAME.exec(filename) ?? [];
	const { folder, name } = splitPath([subfolder, path].filter(Boolean).join('/'));
	return { filename: name, subfolder: folder, type: annotatedType };
}
