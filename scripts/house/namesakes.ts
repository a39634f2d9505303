import type { Module } from './tree';

export interface Namesake {
	name: string;
	files: string[];
}

/** Names that more than one file defines and exports. */
export function namesakesIn(modules: Module[]): Namesake[] {
	const filesOf = new Map<string, string[]>();
	for (const { file, names } of modules) for (const name of names) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
	return [...filesOf].flatMap(([name, files]) => (files.length > 1 ? [{ name, files }] : []));
}

/** Files of one folder whose names differ by capitals alone. */
export function toldApartByCapitals(modules: Module[]): string[][] {
	const alike = new Map<string, string[]>();
	for (const { file } of modules) alike.set(file.toLowerCase(), [...(alike.get(file.toLowerCase()) ?? []), file]);
	return [...alike.values()].filter((files) => files.length > 1);
}
