/** Smaller numbers are seconds (up to the year 5138), larger ones are milliseconds (from 1973 on). */
const SMALLEST_MILLISECONDS = 1e11;

/**
 * Decodes a timestamp. v1 sends ISO texts, epoch seconds (`create_time`) and epoch milliseconds (other fields). Engines
 * send `create_time` in milliseconds.
 * @returns an ISO text; null if the value is no timestamp.
 */
export function timestampOf(value: unknown): string | null {
	const milliseconds = typeof value === 'string' ? Date.parse(value) : toEpochMs(value);
	const date = new Date(milliseconds);
	return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Decodes a timestamp to epoch milliseconds; undefined if the value is none. */
export function timeOf(value: unknown): number | undefined {
	const timestamp = timestampOf(value);
	return timestamp === null ? undefined : Date.parse(timestamp);
}

/** Returns the first of several values that is a timestamp, as an ISO text. */
export const firstTimestamp = (...values: unknown[]): string | null =>
	values.map(timestampOf).find((timestamp) => timestamp !== null) ?? null;

function toEpochMs(value: unknown): number {
	if (typeof value !== 'number' || value <= 0) return NaN;
	return value < SMALLEST_MILLISECONDS ? value * 1_000 : value;
}
