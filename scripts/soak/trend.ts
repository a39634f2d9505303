import type { SandboxKeys, SandboxUrls } from '../../sandbox';

/** Addresses and keys of the service, for the credentials of the product. */
export interface Access {
	urls: SandboxUrls;
	keys: SandboxKeys;
}

/** What the product uses between two rounds, after garbage collection. */
export const MEASURES = ['heap MiB', 'external MiB', 'resident MiB', 'timers', 'sockets', 'other handles'] as const;
export type Measure = (typeof MEASURES)[number];

export interface Sample {
	/** Since the product began. */
	seconds: number;
	held: Record<Measure, number>;
	/** Runs of nodes until now, by how they ended. */
	succeeded: number;
	failed: number;
	/** Items that triggers have started executions with. */
	news: number;
}

/** From the parent to either of its children. */
export type Order = 'end' | 'round is over';

/** The beginning is left out: code is loaded and compiled, connections are made, caches fill. */
const WARM_UP = 1 / 3;
/** Fewer points make no line. */
const LEAST_SAMPLES = 12;
const SECONDS_PER_HOUR = 3_600;

/** In an hour. A leak of one kilobyte for each of some three runs of a node in a second is 11 MiB of it. */
const MOST_PER_HOUR: Record<Measure, number> = {
	'heap MiB': 10,
	'external MiB': 10,
	// What is free again is not given back at once, and lies scattered.
	'resident MiB': 120,
	// Triggers pause and connect by turns, so that single ones come and go.
	timers: 30,
	sockets: 30,
	'other handles': 6,
};

/**
 * Growth that is not a leak, in a run of any length. Bounded collections fill up: the last 1,000 jobs of a connection, of some
 * three kilobytes each, and 500 ends that a trigger remembers. Code is compiled. An hour shows leaks that stay below this in
 * ten minutes.
 */
const FILLS: Record<Measure, number> = {
	'heap MiB': 4,
	'external MiB': 2,
	'resident MiB': 24,
	timers: 3,
	sockets: 3,
	'other handles': 1,
};

export interface Trend {
	measure: Measure;
	first: number;
	last: number;
	/** By a straight line through all that came after the warm-up; undefined if there are too few points. */
	perHour: number | undefined;
	mostPerHour: number;
	isFlat: boolean;
}

/** The slope of the straight line with the least squares. */
function slopeOf(points: ReadonlyArray<readonly [x: number, y: number]>): number {
	const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
	const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
	const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
	return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

export function trendsOf(samples: readonly Sample[]): Trend[] {
	const counted = samples.slice(Math.floor(samples.length * WARM_UP));
	const hours = ((counted.at(-1)?.seconds ?? 0) - (counted[0]?.seconds ?? 0)) / SECONDS_PER_HOUR;
	return MEASURES.map((measure) => {
		const values = counted.map(({ held }) => held[measure]);
		const perHour =
			counted.length < LEAST_SAMPLES
				? undefined
				: slopeOf(counted.map(({ seconds, held }) => [seconds / SECONDS_PER_HOUR, held[measure]] as const));
		const mostPerHour = MOST_PER_HOUR[measure];
		return {
			measure,
			first: values[0] ?? NaN,
			last: values.at(-1) ?? NaN,
			perHour,
			mostPerHour,
			isFlat: perHour === undefined || perHour <= mostPerHour || perHour * hours <= FILLS[measure],
		};
	});
}
