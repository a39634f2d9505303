/** Seconds count up to the year 5138 below it, milliseconds from 1973 on above it. */
const FIRST_MILLISECONDS = 1e11;

/**
 * v1 gives moments as ISO texts, as epoch seconds (`create_time`) and as epoch milliseconds (the others); engines give
 * `create_time` in milliseconds too.
 * @returns an ISO text; null where there is no moment.
 */
export function momentOf(value: unknown): string | null {
	const milliseconds = typeof value === 'string' ? Date.parse(value) : epochMilliseconds(value);
	const date = new Date(milliseconds);
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** The same in epoch milliseconds; undefined where there is none. */
export function timeOf(value: unknown): number | undefined {
	const moment = momentOf(value);
	return moment === null ? undefined : Date.parse(moment);
}

/** The first of several that is one. */
export const firstMoment = (...values: unknown[]): string | null => values.map(momentOf).find((moment) => moment !== null) ?? null;

function epochMilliseconds(value: unknown): number {
	if (typeof value !== 'number' || value <= 0) return NaN;
	return value < FIRST_MILLISECONDS ? value * 1_000 : value;
}
