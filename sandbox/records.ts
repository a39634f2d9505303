import { isLosslessNumber } from './exactJson';

/** Whether something made of JSON is an object: not null, not a list, not a number. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');
