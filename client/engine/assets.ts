import type { ServiceApi } from '../api';
import { uploadImage } from '../comfyui/uploadImage';
import { toFileUrl } from '../comfyui/outputs';
import { textOr } from '../decode';
import { ApiError } from '../errors';
import { annotatedName } from '../files/annotatedName';
import { download } from '../files/download';
import type { Asset, AssetReference, FileReference } from '../job';
import type {
	AssetMasks,
	AssetStore,
	CallOptions,
	Download,
	DownloadSource,
	MaskOptions,
	UploadOptions,
	UploadResult,
	UploadSource,
} from '../ports';
import { outcomeOf } from '../transport/outcome';

/** Files in the folders of an engine. It takes any file, whatever its routes are called. */
export class EngineAssetStore implements AssetStore {
	readonly masks: AssetMasks;

	constructor(private readonly api: ServiceApi) {
		this.masks = { upload: async (source, options) => await this.uploadMask(source, options) };
	}

	/** Without `overwrite`, a file of the same name and other bytes makes the engine find a new name. */
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
		return annotatedName({ filename: textOr(name, ''), subfolder: textOr(subfolder, ''), type: textOr(type, 'input') });
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}

	/**
	 * The engine puts the mask into a copy of the original, which it keeps under the mask's name.
	 * @throws ApiError `original_not_found`, which an engine does not say: it answers 200 and stores nothing.
	 */
	private async uploadMask(source: UploadSource, { filePath, original, signal }: MaskOptions): Promise<UploadResult> {
		const { folder, name } = splitPath(filePath);
		const { filename, subfolder, type } = separated(original);
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
		const first = { method: 'GET' as const, url, headers: { range: 'bytes=0-0' }, signal, totalMs: this.api.limits.requestMs };
		const asked = await outcomeOf(this.api.repeat(() => this.api.send(first), { signal }));
		if (asked.ok) return await asked.value.discard();
		if (!(asked.error instanceof ApiError) || asked.error.status !== 404) throw asked.error;
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

const ANNOTATED = /^(.*) \[(input|output|temp)\]$/;

/** A name may hold its folder and, as in graphs, its type; a look at the file wants them apart. */
function separated({ filename, subfolder, type }: FileReference): FileReference {
	const [, bare = filename, itsType = type] = ANNOTATED.exec(filename) ?? [];
	const { folder, name } = splitPath([subfolder, bare].filter(Boolean).join('/'));
	return { filename: name, subfolder: folder, type: itsType };
}
