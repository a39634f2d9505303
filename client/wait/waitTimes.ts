/** How long a wait without a stream pauses between two reads of its job, in milliseconds. */
export const FIRST_INTERVAL_MS = 500;
export const LONGEST_INTERVAL_MS = 5_000;
const INTERVAL_GROWTH = 1.5;

/** A job that is absent from the list is read after this time, because the list may be incomplete. */
export const ABSENT_MS = 60_000;

/** Returns the next interval between two reads. */
export const toLongerInterval = (intervalMs: number): number => Math.min(intervalMs * INTERVAL_GROWTH, LONGEST_INTERVAL_MS);
