import { type AllowedNames, MOST_ALLOWED_NAMES } from './allowed';
import { findEmptyModules, foldersOf, moduleOf, type Plan } from './layers';
import { readSources, type SourceFile } from './sourceTree';

/** How one part of the project differs from its plan. */
export interface Survey {
	part: string;
	files: number;
	medianLines: number;
	largest: { file: string; lines: number };
	/** Imports from a higher layer, from another module of the same layer, or from another part past its entry points. */
	upward: string[];
	/** Each with all of its files. */
	circles: string[][];
	/** Names that several files declare and export. */
	repeatedNames: RepeatedName[];
	/** Files that belong to no module. */
	unplanned: string[];
	/** Modules that have no file. */
	empty: string[];
	/** Files whose paths differ only in capital letters. */
	differByCase: string[][];
}

interface RepeatedName {
	name: string;
	files: string[];
}

/** A file without a module passes here, because it is reported as unplanned. */
function isAllowed(importer: string, imported: string, plan: Plan, own: ReadonlySet<string>): boolean {
	if (!own.has(imported)) return plan.entryPoints.includes(imported);
	const [from, to] = [moduleOf(importer, plan), moduleOf(imported, plan)];
	return from === undefined || to === undefined || from.layer < to.layer || from.path === to.path;
}

function findUpwardImports(sources: SourceFile[], plan: Plan): string[] {
	const own = new Set(sources.map(({ file }) => file));
	return sources.flatMap(({ file, imports }) =>
		imports.filter((imported) => !isAllowed(file, imported, plan, own)).map((imported) => `${file} -> ${imported}`),
	);
}

/** The strongly connected components of the imports, by Tarjan's algorithm. */
function findCircles(sources: SourceFile[]): string[][] {
	const importsOf = new Map(sources.map(({ file, imports }) => [file, imports]));
	const indexes = new Map<string, number>();
	const path: string[] = [];
	const circles: string[][] = [];

	function visit(file: string): number {
		const index = indexes.size;
		indexes.set(file, index);
		path.push(file);
		let lowest = index;
		for (const imported of importsOf.get(file) ?? []) {
			if (!importsOf.has(imported)) continue;
			if (!indexes.has(imported)) lowest = Math.min(lowest, visit(imported));
			else if (path.includes(imported)) lowest = Math.min(lowest, indexes.get(imported) ?? lowest);
		}
		if (lowest === index) {
			const circle = path.splice(path.indexOf(file));
			if (circle.length > 1 || importsOf.get(file)?.includes(file)) circles.push(circle.sort());
		}
		return lowest;
	}

	for (const { file } of sources) if (!indexes.has(file)) visit(file);
	return circles;
}

/** The groups of more than one value that have a key in common. */
function findGroups<T>(entries: Array<[key: string, value: T]>): Array<[key: string, values: T[]]> {
	const groups = new Map<string, T[]>();
	for (const [key, value] of entries) groups.set(key, [...(groups.get(key) ?? []), value]);
	return [...groups].filter(([, values]) => values.length > 1);
}

function median(sorted: number[]): number {
	const middle = sorted.length / 2;
	const [left = 0, right = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return (left + right) / 2;
}

function surveyPart(plan: Plan, sources: SourceFile[]): Survey {
	const bySize = sources.toSorted((left, right) => left.lines - right.lines);
	const { file: largestFile = '', lines = 0 } = bySize.at(-1) ?? {};
	const files = sources.map(({ file }) => file);
	const exported = sources.flatMap(({ file, names }) => names.map((name): [string, string] => [name, file]));
	return {
		part: plan.part,
		files: files.length,
		medianLines: median(bySize.map((source) => source.lines)),
		largest: { file: largestFile, lines },
		upward: findUpwardImports(sources, plan),
		circles: findCircles(sources),
		repeatedNames: findGroups(exported).map(([name, exporters]) => ({ name, files: exporters })),
		unplanned: files.filter((file) => moduleOf(file, plan) === undefined),
		empty: findEmptyModules(files, plan),
		differByCase: findGroups(files.map((file): [string, string] => [file.toLowerCase(), file])).map(([, alike]) => alike),
	};
}

export const surveyArchitecture = (root: string, plans: readonly Plan[]): Survey[] =>
	plans.map((plan) => surveyPart(plan, readSources(root, foldersOf(plan))));

function findNameFaults(surveys: Survey[], allowed: AllowedNames): string[] {
	const allowedIn = (part: string): string[] => Object.keys(allowed[part] ?? {});
	const count = Object.keys(allowed).flatMap(allowedIn).length;
	const unexpected = surveys.flatMap(({ part, repeatedNames }) =>
		repeatedNames
			.filter(({ name }) => !allowedIn(part).includes(name))
			.map(({ name, files }) => `${part}: ${name} is exported from ${files.join(', ')}`),
	);
	const outdated = surveys.flatMap(({ part, repeatedNames }) =>
		allowedIn(part)
			.filter((name) => !repeatedNames.some((repeated) => repeated.name === name))
			.map((name) => `${part}: ${name} is allowed twice, but not exported twice`),
	);
	const tooMany = count > MOST_ALLOWED_NAMES ? [`${count} names are allowed twice; at most ${MOST_ALLOWED_NAMES} may be`] : [];
	return [...unexpected, ...outdated, ...tooMany];
}

/** One line for each difference from the plans; empty if there is none. */
export const findArchitectureFaults = (surveys: Survey[], allowed: AllowedNames): string[] => [
	...surveys.flatMap(({ upward }) => upward.map((line) => `upward: ${line}`)),
	...surveys.flatMap(({ circles }) => circles.map((files) => `circle: ${files.join(' ')}`)),
	...surveys.flatMap(({ unplanned }) => unplanned.map((file) => `in no module: ${file}`)),
	...surveys.flatMap(({ empty }) => empty.map((module) => `empty module: ${module}`)),
	...surveys.flatMap(({ differByCase }) => differByCase.map((files) => `differ only in capital letters: ${files.join(' ')}`)),
	...findNameFaults(surveys, allowed),
];
