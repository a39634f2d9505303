import type { ServiceApi } from '../api';
import { ApiError } from '../errors';
import { download } from '../files/download';
import type { Asset, AssetReference, FileReference } from '../job';
import { textOr } from '../fields';
import type { AssetStore, CallOptions, Download, DownloadSource, MaskOptions, UploadOptions, UploadResult, UploadSource } from '../services';
import { outcomeOf } from '../transport/outcome';
import { sendImage } from '../v1/assets';
import { viewLink } from '../v1/view';
import { annotatedName } from '../files/annotatedName';

const ONLY_V2 = 'An engine knows files by their names only; asset records and hashes are v2’s';

/** Files in the folders of an engine. It takes any file, whatever its routes are called. */
export class EngineAssetStore implements AssetStore {
	constructor(private readonly api: ServiceApi) {}

	/** Without `overwrite`, a file of the same name and other bytes makes the engine find a new name. */
	async upload(source: UploadSource, { filePath, use = 'input', overwrite, signal }: UploadOptions): Promise<UploadResult> {
		const { folder, name } = splitPath(filePath);
		const fields: Array<readonly [string, string]> = [
			['type', use],
			['subfolder', folder],
		];
		if (overwrite !== undefined) fields.push(['overwrite', String(overwrite)]);
		return await sendImage(this.api, '/upload/image', source, { fields, use, filePath: name, signal });
	}

	/**
	 * The engine puts the mask into a copy of the original, which it keeps under the mask's name.
	 * @throws ApiError `original_not_found`, which an engine does not say: it answers 200 and stores nothing.
	 */
	async uploadMask(source: UploadSource, { filePath, original, signal }: MaskOptions): Promise<UploadResult> {
		const { folder, name } = splitPath(filePath);
		const { filename, subfolder, type } = placeOf(original);
		await this.requireFile({ filename, subfolder, type }, { signal });
		const fields = [
			['type', 'input'],
			['subfolder', folder],
			['original_ref', JSON.stringify({ filename, subfolder, type })],
		] as const;
		return await sendImage(this.api, '/upload/mask', source, { fields, use: 'input', filePath: name, signal });
	}

	private async requireFile(file: FileReference, { signal }: CallOptions): Promise<void> {
		const url = this.api.link(viewLink(this.api, file));
		const first = { method: 'GET' as const, url, headers: { range: 'bytes=0-0' }, signal, totalMs: this.api.limits.requestMs };
		const asked = await outcomeOf(this.api.repeat(() => this.api.send(first), { signal }));
		if (asked.ok) return await asked.value.discard();
		if (!(asked.error instanceof ApiError) || asked.error.status !== 404) throw asked.error;
		throw new ApiError({ interface: 'engine', code: 'original_not_found', status: 404, message: [file.subfolder, file.filename].filter(Boolean).join('/') });
	}

	async fromHash(): Promise<Asset> {
		throw notImplemented();
	}

	async has(): Promise<boolean> {
		throw notImplemented();
	}

	async get(): Promise<Asset> {
		throw notImplemented();
	}

	async delete(): Promise<void> {
		throw notImplemented();
	}

	reference({ name, subfolder, type }: Asset): AssetReference {
		return annotatedName({ filename: textOr(name, ''), subfolder: textOr(subfolder, ''), type: textOr(type, 'input') });
	}

	async download(source: DownloadSource, options: CallOptions = {}): Promise<Download> {
		return await download(this.api, source, options);
	}
}

function splitPath(filePath: string): { folder: string; name: string } {
	const parts = filePath.split(/[/\\]+/).filter((part) => part !== '' && part !== '.');
	return { folder: parts.slice(0, -1).join('/'), name: parts.at(-1) ?? filePath };
}

const ANNOTATED = /^(.*) \[(input|output|temp)\]$/;

/** A name may hold its folder and, as in graphs, its type; a look at the file wants them apart. */
function placeOf({ filename, subfolder, type }: FileReference): FileReference {
	const [, bare = filename, itsType = type] = ANNOTATED.exec(filename) ?? [];
	const { folder, name } = splitPath([subfolder, bare].filter(Boolean).join('/'));
	return { filename: name, subfolder: folder, type: itsType };
}

const notImplemented = (): ApiError => new ApiError({ interface: 'engine', code: 'not_implemented', status: 501, message: ONLY_V2 });
