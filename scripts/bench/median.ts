export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** The smallest value that at least this part of all reaches. */
export function percentile(values: readonly number[], part: number): number {
	const sorted = [...values].sort((one, other) => one - other);
	return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}
