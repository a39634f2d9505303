/** A job's share that is done (0 to 1) in whole percent; 100 only when all of it is. */
export const percentOf = (value: number): number => Math.floor(Math.min(Math.max(value, 0), 1) * 100 + 1e-9);

/** The steps above `last` that `percent` has reached, lowest first. */
export const reached = (steps: readonly number[], last: number, percent: number): number[] =>
	steps.filter((step) => step > last && step <= percent).sort((one, other) => one - other);
