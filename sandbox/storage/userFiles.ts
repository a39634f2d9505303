/** What a server keeps for the editor of each of its users: files below folders. */
import path from 'node:path';

export interface UserFile {
	bytes: Buffer;
	/** Epoch milliseconds. */
	modifiedAt: number;
}

export interface FoundFile extends UserFile {
	/** Below the folder that was asked for. */
	path: string;
}

export class UserFiles {
	/** By path below the user's own folder. */
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

	/** Also of a name that is only looked for. */
	makeFoldersOf(name: string): void {
		for (let folder = path.posix.dirname(name); folder !== '.'; folder = path.posix.dirname(folder)) this.#folders.add(folder);
	}

	/** Undefined for a folder that is not there. */
	list(folder: string, recurse: boolean): FoundFile[] | undefined {
		if (!this.isFolder(folder)) return undefined;
		const prefix = folder === '' ? '' : `${folder}/`;
		const below = [...this.#files]
			.filter(([name]) => name.startsWith(prefix))
			.map(([name, file]) => ({ path: name.slice(prefix.length), ...file }));
		// As Python's glob, which passes over what is hidden.
		return below.filter(({ path: name }) => (recurse || !name.includes('/')) && !name.split('/').some((step) => step.startsWith('.')));
	}
}

/** A name as a route or a query gives it, without detours; undefined where it leads out of the user's folder. */
export function userPath(given: string): string | undefined {
	const decoded = given.includes('%') ? unquoted(given) : given;
	if (decoded.startsWith('/')) return undefined;
	const inner = path.posix.normalize(decoded).replace(/\/+$/, '');
	if (inner === '..' || inner.startsWith('../')) return undefined;
	return inner === '.' ? '' : inner;
}

/** What is no escape stays as it is. */
const unquoted = (text: string): string =>
	text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'));
