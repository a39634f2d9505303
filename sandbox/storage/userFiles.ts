/** Files that a server stores for the editor of one user. */
import path from 'node:path';

export interface UserFile {
	bytes: Buffer;
	/** Epoch milliseconds. */
	modifiedAt: number;
}

export interface FoundFile extends UserFile {
	/** Relative to the requested folder. */
	path: string;
}

export class UserFiles {
	/** By path in the user's folder. */
	readonly #files = new Map<string, UserFile>();
	readonly #folders = new Set<string>();

	write(name: string, text: string | Buffer, modifiedAt = Date.now()): UserFile {
		const file = { bytes: Buffer.from(text), modifiedAt };
		this.#files.set(name, file);
		this.makeFoldersOf(name);
		return file;
	}

	read(name: string): UserFile | undefined {
		return this.#files.get(name);
	}

	isFolder(name: string): boolean {
		return name === '' || this.#folders.has(name);
	}

	remove(name: string): boolean {
		return this.#files.delete(name);
	}

	/** Creates the folders of a name. The engine does so even when it only looks for the file. */
	makeFoldersOf(name: string): void {
		for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) this.#folders.add(folder);
	}

	/** @returns undefined if the folder does not exist. */
	list(folder: string, recurse: boolean): FoundFile[] | undefined {
		if (!this.isFolder(folder)) return undefined;
		const prefix = folder === '' ? '' : `${folder}/`;
		const below = [...this.#files]
			.filter(([name]) => name.startsWith(prefix))
			.map(([name, file]) => ({ path: name.slice(prefix.length), ...file }));
		// Python's glob skips hidden files.
		return below.filter(({ path: name }) => (recurse || !name.includes('/')) && !name.split('/').some((step) => step.startsWith('.')));
	}
}

/** Normalizes a path from a route or a query. @returns undefined if it leaves the user's folder. */
export function userPath(given: string): string | undefined {
	const decoded = given.includes('%') ? unquoted(given) : given;
	if (decoded.startsWith('/')) return undefined;
	const inner = path.posix.normalize(decoded).replace(/\/+$/, '');
	if (inner === '..' || inner.startsWith('../')) return undefined;
	return inner === '.' ? '' : inner;
}

/** Invalid escapes stay unchanged. */
const unquoted = (text: string): string =>
	text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'));
