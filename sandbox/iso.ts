/** @param time epoch milliseconds. */
export const iso = (time: number): string => new Date(time).toISOString();
