/** Where an engine keeps a file: one of its folders, a folder below that, a name. */

const FOLDERS = ['input', 'output', 'temp'] as const;
type Folder = (typeof FOLDERS)[number];

export interface Place {
	folder: Folder;
	subfolder: string;
	name: string;
}

export const isFolder = (word: string): word is Folder => FOLDERS.some((folder) => folder === word);

/** `cat.png [temp]` names its folder itself; any other name has none. */
function annotated(text: string): { name: string; folder: Folder | undefined } {
	const [, name, word = ''] = /^(.*).\[(\w+)\]$/s.exec(text) ?? [];
	return name !== undefined && isFolder(word) ? { name, folder: word } : { name: text, folder: undefined };
}

/** A file as a loader node names it: `cat.png`, `pets/cat.png`, `cat.png [temp]`. */
export function placeOf(text: string): Place {
	const { name, folder = 'input' } = annotated(text);
	const cut = name.lastIndexOf('/');
	return { folder, subfolder: cut < 0 ? '' : name.slice(0, cut), name: name.slice(cut + 1) };
}

/** The part of a path without detours; undefined when it leads out of its folder. */
export function inside(subfolder: string): string | undefined {
	if (subfolder.startsWith('/')) return undefined;
	const parts: string[] = [];
	for (const part of subfolder.split(/[\\/]/)) {
		if (part === '' || part === '.') continue;
		if (part !== '..') parts.push(part);
		else if (parts.pop() === undefined) return undefined;
	}
	return parts.join('/');
}

export const pathOf = ({ folder, subfolder, name }: Place): string => [folder, ...(subfolder === '' ? [] : [subfolder]), name].join('/');

/** Where `filename`, `subfolder` and `type` of a request lead to, or why an engine does not look there. */
export function placeAsked(filename: string, subfolder: string, type: string): Place | 'bad_name' | 'outside' {
	const { name, folder = type } = annotated(filename);
	if (name === '' || name.startsWith('/') || name.includes('..') || !isFolder(folder)) return 'bad_name';
	if (inside(subfolder) === undefined) return 'outside';
	return { folder, subfolder, name };
}
