import { type AllowedNames, MOST_ALLOWED } from './allowed';
import { circlesIn } from './circles';
import type { Plan } from './floors';
import { type Namesake, namesakesIn, toldApartByCapitals } from './namesakes';
import { emptyRooms, roomOf } from './rooms';
import { type Module, readTree } from './tree';
import { upwardImports } from './upwardImports';

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
