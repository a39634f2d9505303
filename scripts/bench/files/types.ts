/** The service of files, and what it is told and asked by its starter. */
export interface FileServiceSettings {
	/** A file whose beginning is sent again and again. */
	path: string;
	/** How long what it sends is. */
	bytes: number;
	/** `blake3:<hex>` of it, where jobs tell it. */
	hash: string | null;
	/** Whether it has every file already. */
	isStored: boolean;
}

export interface FileCounts {
	requests: number;
	/** Of requests: all but their heads. */
	bodyBytes: number;
}

export type FileOrder = { do: 'start'; settings: FileServiceSettings } | { do: 'report' };
export type FileWord = { port: number } | FileCounts;
