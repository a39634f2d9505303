import { createHash } from 'node:crypto';

import type { Door } from '../shapes';

/** A colour for `quickGraph` that no other cell has: its graph is known by it. */
export const colorOf = (mark: string): number => createHash('sha256').update(mark).digest().readUIntBE(0, 3);

/** How many jobs of a cell are paid: those whose graph has its colour. */
export function paidJobs({ sandbox, mark }: Door): number {
	const color = colorOf(mark);
	return sandbox.ledger.runs.filter(({ jobId }) => sandbox.job(jobId)?.graph['1']?.inputs.color === color).length;
}
