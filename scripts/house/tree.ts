import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

import { readSource } from './source';

export interface Module {
	/** From the root of the project, as are the imported ones. */
	file: string;
	imports: string[];
	names: string[];
	lines: number;
}

const isSource = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.d.ts');

function filesBelow(root: string, folder: string): string[] {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter(isSource)
		.map((path) => join(folder, path))
		.sort();
}

/** Undefined for packages, and for what is no source: a JSON file has no floor. */
function resolved(root: string, importer: string, specifier: string): string | undefined {
	if (!specifier.startsWith('.')) return undefined;
	const path = normalize(join(dirname(importer), specifier));
	return [`${path}.ts`, join(path, 'index.ts')].find((candidate) => existsSync(join(root, candidate)));
}

function readModule(root: string, file: string): Module {
	const { imports, ...source } = readSource(file, readFileSync(join(root, file), 'utf8'));
	const files = imports.flatMap((specifier) => resolved(root, file, specifier) ?? []);
	return { file, ...source, imports: [...new Set(files)] };
}

/** Every source file below these folders. */
export const readTree = (root: string, folders: string[]): Module[] =>
	folders.flatMap((folder) => filesBelow(root, folder)).map((file) => readModule(root, file));
