/** What a section of the benchmark consists of, how much is measured, and how values are written. */
import type { Facts, Result } from './contest';

/** How much is measured. */
export interface Scale {
	/** The main size is 1, and the others are parts or multiples of it. */
	sizes: readonly number[];
	/** Size of files at the main size. */
	fileMib: number;
	/** Rounds at the main size. */
	rounds: number;
	/** Rounds at the other sizes. */
	roundsBeside: number;
	jobs: number;
	/** Jobs of a batch on a pool. */
	poolJobs: number;
	waits: number;
	waitSeconds: number;
	frames: number;
	ends: number;
}

export const FULL: Scale = {
	sizes: [1, 0.1, 3],
	fileMib: 1_024,
	rounds: 5,
	roundsBeside: 3,
	jobs: 200,
	poolJobs: 140,
	waits: 1_000,
	waitSeconds: 60,
	frames: 200_000,
	ends: 10,
};

export const QUICK: Scale = {
	sizes: [1],
	fileMib: 128,
	rounds: 3,
	roundsBeside: 1,
	jobs: 40,
	poolJobs: 140,
	waits: 300,
	waitSeconds: 20,
	frames: 60_000,
	ends: 3,
};

/** What was measured at one size. */
export interface Measure {
	size: string;
	results: Result[];
}

export interface Goal {
	what: string;
	measured: number;
	most: number;
	unit: string;
}

/** A row of the summary in docs/speed.md. */
interface Summary {
	task: string;
	/** The contestant that stands for this package. */
	own: string;
	/** The contestant to compare with. */
	other: string;
	show(result: Result): string;
}

export interface Topic {
	name: string;
	title: string;
	/** What is measured, and how. */
	how: string;
	/** What the result means for a user. */
	means: string;
	summary: Summary;
	/** Columns of the table for facts: the heading, and how to write the value. */
	shown?: Readonly<Record<string, (facts: Facts) => string>>;
	/** `compared`: times, and the time of the first contestant divided by each other time. `alone`: only times. `given`: no times. */
	times: 'compared' | 'alone' | 'given';
	/** @param times the size, relative to the main size. */
	measure(scale: Scale, times: number): Promise<Measure>;
	/** @param results at the main size. */
	goals(results: readonly Result[], scale: Scale): Goal[];
}

export const MIB = 1024 * 1024;
export const bytesOf = (mib: number): number => Math.max(1, Math.round(mib)) * MIB;

export const resultOf = (results: readonly Result[], name: string): Result => results.find((result) => result.name === name) as Result;

export const createGoal = (what: string, measured = NaN, most = NaN, unit = ''): Goal => ({ what, measured, most, unit });

export const shownNumber = (value: number): string =>
	Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);

export const grouped = (value: number): string => value.toLocaleString('en-US');
export const milliseconds = (value = NaN): string => `${shownNumber(value)} ms`;
export const shownTime = (ms: number): string => (ms >= 10_000 ? `${shownNumber(ms / 1_000)} s` : milliseconds(ms));
export const shownSize = (mib: number): string =>
	mib >= 1_024 ? `${shownNumber(mib / 1_024)} GiB` : `${Math.max(1, Math.round(mib))} MiB`;
/** The memory of curl is not measured, because it is a separate program. */
export const shownMemory = ({ name, peakMib }: Result): string => (name === CURL ? '–' : `${Math.round(peakMib)} MiB`);

export const CURL = 'curl';

export const renderTable = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string => {
	const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
};
