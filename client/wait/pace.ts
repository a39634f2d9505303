/** Plain polling's pace: how long a wait rests between two reads of its job, in milliseconds. */
export const FIRST_INTERVAL_MS = 500;
export const LONGEST_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;

export const slower = (intervalMs: number): number => Math.min(intervalMs * INTERVAL_GROWTH, LONGEST_INTERVAL_MS);
