/** Where an engine stores a file: one of its three folders, a subfolder, and a name. */

const FOLDERS = ['input', 'output', 'temp'] as const;
type Folder = (typeof FOLDERS)[number];

export interface FileLocation {
	folder: Folder;
	subfolder: string;
	name: string;
}

export const isFolder = (word: string): word is Folder => FOLDERS.some((folder) => folder === word);

/** Reads the folder of an annotated name, for example `cat.png [temp]`. */
function parseAnnotation(text: string): { name: string; folder: Folder | undefined } {
	const [, name, word = ''] = /^(.*).\[(\w+)\]$/s.exec(text) ?? [];
	return name !== undefined && isFolder(word) ? { name, folder: word } : { name: text, folder: undefined };
}

/** Reads a file name of a loader node: `cat.png`, `pets/cat.png`, `cat.png [temp]`. */
export function parseFileName(text: string): FileLocation {
	const { name, folder = 'input' } = parseAnnotation(text);
	const cut = name.lastIndexOf('/');
	return { folder, subfolder: cut < 0 ? '' : name.slice(0, cut), name: name.slice(cut + 1) };
}

/** Resolves `.` and `..` in a subfolder. @returns undefined if it leaves its folder. */
export function normalizeSubfolder(subfolder: string): string | undefined {
	if (subfolder.startsWith('/')) return undefined;
	const parts: string[] = [];
	for (const part of subfolder.split(/[\\/]/)) {
		if (part === '' || part === '.') continue;
		if (part !== '..') parts.push(part);
		else if (parts.pop() === undefined) return undefined;
	}
	return parts.join('/');
}

export const toPath = ({ folder, subfolder, name }: FileLocation): string =>
	[folder, ...(subfolder === '' ? [] : [subfolder]), name].join('/');

/** The location of `filename`, `subfolder` and `type` in a request, or why an engine refuses it. */
export function requestedLocation(filename: string, subfolder: string, type: string): FileLocation | 'bad_name' | 'outside' {
	const { name, folder = type } = parseAnnotation(filename);
	if (name === '' || name.startsWith('/') || name.includes('..') || !isFolder(folder)) return 'bad_name';
	if (normalizeSubfolder(subfolder) === undefined) return 'outside';
	return { folder, subfolder, name };
}
