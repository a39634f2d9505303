import { readFile, writeFile } from 'node:fs/promises';

const MIB_IN_KIB = 1024;

async function field(pid: number, name: string): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / MIB_IN_KIB;
}

export interface Weight {
	/** In MiB. */
	before: number;
	most: number;
}

/** What a process takes of the machine's memory while something happens; Linux keeps the most. */
export async function weighed(pid: number, happens: () => Promise<void>): Promise<Weight> {
	// From proc(5): begins to count the most anew.
	await writeFile(`/proc/${pid}/clear_refs`, '5');
	const before = await field(pid, 'VmRSS');
	await happens();
	return { before, most: await field(pid, 'VmHWM') };
}

export const inWords = ({ before, most }: Weight): string =>
	`${Math.round(most)} MiB at most, ${Math.round(most - before)} more than before`;
