/** What every way to move a file is told. */
export interface FileOptions {
	origin: string;
	/** The file to send. */
	path: string;
	bytes: number;
	/** Whether the file is hashed: so that one that the service has is not sent, and one that comes is the one announced. */
	hashes: boolean;
	hash: string | null;
	/** A folder for what comes, which may be emptied. */
	folder: string;
}
