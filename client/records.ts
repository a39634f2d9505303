import { isExactNumber } from './json/numbers';

export type JsonRecord = Record<string, unknown>;

/** Whether something made of JSON is an object: not null, not a list, not a number. */
export const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
