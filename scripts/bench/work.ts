/** What a contestant does, and what it reports to the contest. */

/** What one measured run reports in addition to its time: requests, bytes, streams, … */
export type Facts = Record<string, number>;

/** Work that is measured repeatedly in a separate process. */
export interface Work {
	/** Measured. Facts may hold `ms`, where the work measures a part of itself. */
	once(): Promise<Facts | undefined>;
	/** Cleans up after a run; not measured. */
	afterwards?(): Promise<void>;
}

/** `warmUp`: those of the same work at a small size, done once before anything is measured. */
export type Options = Record<string, unknown>;

export interface Measured {
	ms: number;
	/** Resident memory at its peak, above what it was after the warm-up, in MiB. */
	peakMib: number;
	facts: Facts;
}

export type Order = { do: 'prepare'; work: string; options: Options } | { do: 'run' };

/** The smallest value that at least this part of all reaches. */
export function percentile(values: readonly number[], part: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}
