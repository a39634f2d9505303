/** Readers for fields of unknown JSON. A missing field and a wrong type read alike. */
import { isRecord, type JsonRecord } from './records';

/** An answer is JSON, but not of the shape it must have. */
export class ShapeError extends Error {}

export function recordOf(value: unknown, what: string): JsonRecord {
	if (!isRecord(value)) throw new ShapeError(`${what} is no object`);
	return value;
}

export function requiredText(value: unknown, what: string): string {
	if (typeof value !== 'string' || value === '') throw new ShapeError(`${what} is missing`);
	return value;
}

export const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value !== '' ? value : otherwise);

export const numberOr = <T>(value: unknown, otherwise: T): number | T => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const recordsOf = (value: unknown): JsonRecord[] => listOf(value).filter(isRecord);
