import type { JsonRecord } from '../records';

/** A copy that lacks some fields. */
export const without = (record: JsonRecord, ...fields: string[]): JsonRecord =>
	Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));
