/** What one measured run tells besides its time: requests, bytes, streams, … */
export type Facts = Record<string, number>;

/** Something to be measured again and again, in a process of its own. */
export interface Work {
	/** Measured. Facts may hold `ms`, where the work measures a part of itself. */
	once(): Promise<Facts | undefined>;
	/** Removes what a run has left; not measured. */
	afterwards?(): Promise<void>;
}

/** `warmUp`: those of the same work at a small size, done once before anything is measured. */
export type Options = Record<string, unknown>;

export interface Contestant {
	/** As the report calls it. */
	name: string;
	/** `<file>.<function>` of `works`. */
	work: string;
	options: Options;
	/** Where n8n's engine keeps its files, where it takes part. */
	folder?: string;
}

export interface Measured {
	ms: number;
	/** Of the process itself, its threads included; children are not counted. */
	cpuMs: number;
	/** Resident memory at its peak, above what it was after the warm-up, in MiB. */
	peakMib: number;
	facts: Facts;
}

export type Order = { do: 'prepare'; work: string; options: Options } | { do: 'run' };
export type Word = { told: 'ready' } | { told: 'measured'; measured: Measured } | { told: 'failed'; message: string };
