import { readFile, writeFile } from 'node:fs/promises';

const MIB_IN_KIB = 1024;

async function field(pid: number, name: string): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / MIB_IN_KIB;
}

export interface MemoryUse {
	/** In MiB. */
	before: number;
	most: number;
}

/** Measures the resident memory of a process before and at its peak, which Linux records. */
export async function measureMemory(pid: number, happens: () => Promise<void>): Promise<MemoryUse> {
	// See proc(5): resets the peak.
	await writeFile(`/proc/${pid}/clear_refs`, '5');
	const before = await field(pid, 'VmRSS');
	await happens();
	return { before, most: await field(pid, 'VmHWM') };
}

export const describeMemory = ({ before, most }: MemoryUse): string =>
	`${Math.round(most)} MiB at most, ${Math.round(most - before)} more than before`;
