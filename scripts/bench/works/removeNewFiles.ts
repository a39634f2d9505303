import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const filesIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));

/** @returns what removes the files that have come since. */
export function removeNewFiles(folder: string): () => Promise<void> {
	const before = new Set(filesIn(folder));
	return async () => {
		for (const path of filesIn(folder)) if (!before.has(path)) await rm(path);
	};
}
