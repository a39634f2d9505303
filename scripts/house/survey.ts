import { type AllowedNames, MOST_ALLOWED } from './allowed';
import { circlesIn } from './circles';
import type { Plan } from './floors';
import { emptyRooms, roomOf } from './rooms';
import { type Module, readTree } from './tree';

/** To a file of the same part: from above, or within one room; one in no room is told elsewhere. Out of the part: by a door. */
function isAllowed(importer: string, imported: string, plan: Plan, own: ReadonlySet<string>): boolean {
	if (!own.has(imported)) return plan.doors.includes(imported);
	const [from, to] = [roomOf(importer, plan), roomOf(imported, plan)];
	return from === undefined || to === undefined || from.floor < to.floor || from.name === to.name;
}

/** Imports to a floor above, to a room beside, or past a door. */
function upwardImports(modules: Module[], plan: Plan): string[] {
	const own = new Set(modules.map(({ file }) => file));
	return modules.flatMap(({ file, imports }) =>
		imports.filter((imported) => !isAllowed(file, imported, plan, own)).map((imported) => `${file} -> ${imported}`),
	);
}

interface Namesake {
	name: string;
	files: string[];
}

/** Names that more than one file defines and exports. */
function namesakesIn(modules: Module[]): Namesake[] {
	const filesOf = new Map<string, string[]>();
	for (const { file, names } of modules) for (const name of names) filesOf.set(name, [...(filesOf.get(name) ?? []), file]);
	return [...filesOf].flatMap(([name, files]) => (files.length > 1 ? [{ name, files }] : []));
}

/** Files of one folder whose names differ by capitals alone. */
function toldApartByCapitals(modules: Module[]): string[][] {
	const alike = new Map<string, string[]>();
	for (const { file } of modules) alike.set(file.toLowerCase(), [...(alike.get(file.toLowerCase()) ?? []), file]);
	return [...alike.values()].filter((files) => files.length > 1);
}

export interface Survey {
	part: string;
	files: number;
	medianLines: number;
	largest: { file: string; lines: number };
	upward: string[];
	circles: string[][];
	namesakes: Namesake[];
	/** Files that no room claims. */
	homeless: string[];
	/** Rooms of the plan in which no file is. */
	empty: string[];
	/** Files of one folder, by twos or more. */
	toldApartByCapitals: string[][];
}

const foldersOf = ({ floors }: Plan): string[] => [
	...new Set(floors.flatMap((line) => line.split(' ').map((room) => room.slice(0, room.indexOf('/'))))),
];

function median(sorted: number[]): number {
	const middle = sorted.length / 2;
	const [left = 0, right = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
	return (left + right) / 2;
}

function surveyed(plan: Plan, modules: Module[]): Survey {
	const bySize = modules.toSorted((left, right) => left.lines - right.lines);
	const { file = '', lines = 0 } = bySize.at(-1) ?? {};
	return {
		part: plan.part,
		files: modules.length,
		medianLines: median(bySize.map((module) => module.lines)),
		largest: { file, lines },
		upward: upwardImports(modules, plan),
		circles: circlesIn(modules),
		namesakes: namesakesIn(modules),
		homeless: modules.flatMap((module) => (roomOf(module.file, plan) === undefined ? [module.file] : [])),
		empty: emptyRooms(
			modules.map((module) => module.file),
			plan,
		),
		toldApartByCapitals: toldApartByCapitals(modules),
	};
}

export const surveyHouse = (root: string, plans: readonly Plan[]): Survey[] =>
	plans.map((plan) => surveyed(plan, readTree(root, foldersOf(plan))));

function faultsOfNames(surveys: Survey[], allowed: AllowedNames): string[] {
	const reasonsOf = (part: string): string[] => Object.keys(allowed[part] ?? {});
	const count = Object.keys(allowed).flatMap(reasonsOf).length;
	return [
		...surveys.flatMap(({ part, namesakes }) =>
			namesakes.flatMap(({ name, files }) =>
				reasonsOf(part).includes(name) ? [] : [`${part}: ${name} is exported from ${files.join(', ')}`],
			),
		),
		...surveys.flatMap(({ part, namesakes }) =>
			reasonsOf(part).flatMap((name) =>
				namesakes.some((namesake) => namesake.name === name) ? [] : [`${part}: ${name} is allowed twice, but not exported twice`],
			),
		),
		...(count > MOST_ALLOWED ? [`${count} names are allowed twice; at most ${MOST_ALLOWED} may be`] : []),
	];
}

/** What is not as planned, each as a line for people; empty for a house in order. */
export const faultsIn = (surveys: Survey[], allowed: AllowedNames): string[] => [
	...surveys.flatMap(({ upward }) => upward.map((line) => `upward: ${line}`)),
	...surveys.flatMap(({ circles }) => circles.map((files) => `circle: ${files.join(' ')}`)),
	...surveys.flatMap(({ homeless }) => homeless.map((file) => `in no room: ${file}`)),
	...surveys.flatMap(({ empty }) => empty.map((room) => `empty room: ${room}`)),
	...surveys.flatMap((survey) => survey.toldApartByCapitals.map((files) => `told apart by a capital: ${files.join(' ')}`)),
	...faultsOfNames(surveys, allowed),
];
