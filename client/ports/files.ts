/** The ports for files. v2, v1 and engine implement them. */
import type { Asset, AssetReference, FileReference } from './job';
import type { CallOptions } from './jobService';

/** A file that can be read several times: to hash it, to send it, and to send it again. */
export interface UploadSource {
	/**
	 * The memory of a chunk may be reused when the next but one is requested. All chunks except the last are larger than
	 * 64 KiB in that case.
	 */
	open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;
	/** If it is known, the upload has a Content-Length. */
	sizeBytes?: number;
	contentType: string;
}

export interface AssetOptions {
	/** The file's name in the service, for example `inputs/cat.png`. Never a path on this disk. */
	filePath?: string;
	tags?: string[];
	/** 60 to 604,800. */
	expiresInSeconds?: number;
}

export interface UploadOptions extends AssetOptions, CallOptions {
	filePath: string;
	/** Hash the file first, and send its bytes only if the service does not have them. */
	skipIfStored?: boolean;
	/** `blake3:<hex>` of the file, if it is known already. */
	hash?: string;
	/** v1: the purpose of the file. `input` files are kept, `temp` files are not. */
	use?: 'input' | 'temp';
	/** v1: whether it replaces a file of the same name. The hosted service ignores this. */
	overwrite?: boolean;
}

export interface MaskOptions extends CallOptions {
	filePath: string;
	/** The image that the mask belongs to. */
	original: FileReference;
}

export interface UploadResult {
	asset: Asset;
	/** The bytes of the file that were sent: 0 if the service already had them. */
	bytesSent: number;
}

export interface DownloadSource {
	url: string;
	/** Verified if it is above 0. */
	sizeBytes?: number | null;
	/** `blake3:<hex>`. Verified if it is set. */
	hash?: string | null;
	/** The expected content type. If it is set, a web page is rejected: proxies send one with HTTP 200. */
	contentType?: string;
	/** Called once to get a new link after this one has expired. */
	freshUrl?: (options: CallOptions) => Promise<string>;
	/** How long to repeat the request if the server does not respond, in milliseconds. Default: the limit of the connection. */
	patienceMs?: number;
}

export interface Download {
	/** The file name that the service sends; null if it sends none. Not safe as a path. */
	fileName: string | null;
	contentType: string | null;
	/** From Content-Length; null if there is none. */
	sizeBytes: number | null;
	/**
	 * The bytes. After a lost connection the download resumes with Range. It ends with an IntegrityError if size or hash
	 * differ from the announced ones; a consumer that saves the file must then delete it.
	 */
	bytes: AsyncIterable<Uint8Array>;
}

/** A format into which a server converts images. */
export interface ImageFormat {
	name: 'webp' | 'jpeg';
	/** 1 to 100. */
	quality: number;
}

/** Downloads of images in another format. */
export interface ImageConversions {
	/**
	 * Of an animation only one frame stays, and a JPEG has no transparency. The metadata of the file is lost.
	 * @param url of a file of a job.
	 * @returns undefined if the server cannot convert the file.
	 */
	download(url: string, format: ImageFormat, options?: CallOptions): Promise<Download | undefined>;
}

export interface AssetStore {
	upload(source: UploadSource, options: UploadOptions): Promise<UploadResult>;
	/** Returns the value for a graph that uses this asset. */
	reference(asset: Asset): AssetReference;
	download(source: DownloadSource, options?: CallOptions): Promise<Download>;
	/** Only on v2. Other interfaces know files only by name. */
	readonly records?: AssetRecords;
	/** Only on v1 and engines. */
	readonly masks?: AssetMasks;
	/** Only on engines. */
	readonly conversions?: ImageConversions;
}

/** The service's records of files, by id or by hash. */
export interface AssetRecords {
	get(assetId: string, options?: CallOptions): Promise<Asset>;
	/** Deletes the record. Bytes that other records share are kept. */
	delete(assetId: string, options?: CallOptions): Promise<void>;
	/**
	 * Makes a record for bytes that the service has.
	 * @throws ApiError `blob_not_found` if the service does not have them, or they belong to another account.
	 */
	fromHash(hash: string, options?: AssetOptions & CallOptions): Promise<Asset>;
	/** Whether the service has these bytes. */
	has(hash: string, options?: CallOptions): Promise<boolean>;
}

/** Masks of images that are stored already. */
export interface AssetMasks {
	upload(source: UploadSource, options: MaskOptions): Promise<UploadResult>;
}
