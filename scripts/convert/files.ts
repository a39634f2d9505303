import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

import { carriedWorkflow, type Definitions, parseExact } from '../../client';
import { isRecord } from '../../client/decode';

/** What may carry a workflow; other files of a folder are passed over. */
const CARRIERS: ReadonlySet<string> = new Set([
	'.json',
	'.png',
	'.webp',
	'.svg',
	'.mp4',
	'.mov',
	'.webm',
	'.mkv',
	'.flac',
	'.ogg',
	'.opus',
	'.mp3',
	'.glb',
	'.latent',
	'.safetensors',
]);

/** Their paths below the folder. */
export const carriersIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && CARRIERS.has(extname(entry.name).toLowerCase()))
		.map((entry) =>
			join(entry.parentPath, entry.name)
				.slice(folder.length)
				.replace(/^[\\/]+/, ''),
		)
		.sort();

/** @throws Error in words, where it is none. */
export function readDefinitions(file: string): Definitions {
	let read: unknown;
	try {
		read = parseExact(readFileSync(file, 'utf8'));
	} catch (error) {
		throw new Error(`The definitions in ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (isRecord(read) && Object.values(read).some((definition) => isRecord(definition) && isRecord(definition.input)))
		return read as Definitions;
	throw new Error(`${file} holds no node definitions: save what GET /object_info of your ComfyUI answers`);
}

/** The graph of a file: what was run where it tells that, else the editor's. @throws Error in words. */
export async function workflowIn(file: string): Promise<unknown> {
	const carried = await carriedWorkflow(createReadStream(file));
	const workflow = carried?.api ?? carried?.editor;
	if (workflow !== undefined) return workflow;
	throw new Error(
		carried?.unreadable === undefined ? 'No workflow of ComfyUI is in it.' : `Its workflow cannot be read: ${carried.unreadable}.`,
	);
}

/** A picture's workflow is no picture. */
export function write(folder: string, path: string, text: string): void {
	const file = join(folder, extname(path).toLowerCase() === '.json' ? path : `${path}.json`);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}
