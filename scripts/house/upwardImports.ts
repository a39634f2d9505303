import type { Plan } from './floors';
import { roomOf } from './rooms';
import type { Module } from './tree';

/** To a file of the same part: from above, or within one room; one in no room is told elsewhere. Out of the part: by a door. */
function isAllowed(importer: string, imported: string, plan: Plan, own: ReadonlySet<string>): boolean {
	if (!own.has(imported)) return plan.doors.includes(imported);
	const [from, to] = [roomOf(importer, plan), roomOf(imported, plan)];
	return from === undefined || to === undefined || from.floor < to.floor || from.name === to.name;
}

/** Imports to a floor above, to a room beside, or past a door. */
export function upwardImports(modules: Module[], plan: Plan): string[] {
	const own = new Set(modules.map(({ file }) => file));
	return modules.flatMap(({ file, imports }) =>
		imports.filter((imported) => !isAllowed(file, imported, plan, own)).map((imported) => `${file} -> ${imported}`),
	);
}
