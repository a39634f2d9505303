import type { Result } from '../contest/contest';
import type { Facts } from '../contest/types';

/** How much is measured. */
export interface Scale {
	/** The size itself first; others beside it, as parts of it. */
	sizes: readonly number[];
	/** Of the largest that is always measured; a tenth and three times as much beside it. */
	fileMib: number;
	rounds: number;
	/** At the other sizes. */
	roundsBeside: number;
	jobs: number;
	waits: number;
	waitSeconds: number;
	/** How long frames come at a pace. */
	frameSeconds: number;
	frames: number;
	/** Jobs whose end is waited for. */
	ends: number;
}

export const FULL: Scale = {
	sizes: [1, 0.1, 3],
	fileMib: 1_024,
	rounds: 5,
	roundsBeside: 3,
	jobs: 200,
	waits: 1_000,
	waitSeconds: 60,
	frameSeconds: 30,
	frames: 200_000,
	ends: 10,
};

export const QUICK: Scale = {
	sizes: [1],
	fileMib: 128,
	rounds: 3,
	roundsBeside: 1,
	jobs: 40,
	waits: 300,
	waitSeconds: 20,
	frameSeconds: 3,
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
	wanted: string;
	measured: string;
	isReached: boolean;
}

export interface Topic {
	name: string;
	title: string;
	/** What is done, and by whom. */
	how: string;
	/** For somebody who uses it. */
	means: string;
	/** Facts that stand in its table, each with its heading. */
	shown?: Readonly<Record<string, (facts: Facts) => string>>;
	/** `compared`: times, and the first one's as a part of each other's. `alone`: times only. `given`: none, since all take the same. */
	times: 'compared' | 'alone' | 'given';
	measure(scale: Scale): Promise<Measure[]>;
	/** @param results at the first size. */
	goals(results: readonly Result[], scale: Scale): Goal[];
}

const MIB = 1024 * 1024;
export const bytesOf = (mib: number): number => Math.max(1, Math.round(mib)) * MIB;

export const resultOf = (results: readonly Result[], name: string): Result => {
	const found = results.find((result) => result.name === name);
	if (found === undefined) throw new Error(`${name} did not take part`);
	return found;
};

export const atMost = (what: string, measured: number, most: number, unit = ''): Goal => ({
	what,
	wanted: `≤ ${most}${unit}`,
	measured: `${shownNumber(measured)}${unit}`,
	isReached: measured <= most,
});

export const shownNumber = (value: number): string =>
	Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);
