/** Readers for unknown JSON. A missing field and a wrong type read alike. */
import { ShapeError } from './errors';
import { isExactNumber } from './json/numbers';

export type JsonRecord = Record<string, unknown>;

/** Whether something made of JSON is an object: not null, not a list, not a number. */
export const isRecord = (value: unknown): value is JsonRecord =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);

/**
 * A record read by a schema of its contract: any field may be missing or be anything, and one that the contract lacks does
 * not compile. What passes through undecoded is spread `as object`.
 */
export type Told<Schema> = { [Field in keyof Schema]?: unknown };

export function requireRecord<Schema = JsonRecord>(value: unknown, what: string): Told<Schema> {
	if (!isRecord(value)) throw new ShapeError(`${what} is no object`);
	return value as Told<Schema>;
}

export function requireText(value: unknown, what: string): string {
	if (typeof value !== 'string' || value === '') throw new ShapeError(`${what} is missing`);
	return value;
}

export const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value !== '' ? value : otherwise);

export const numberOr = <T>(value: unknown, otherwise: T): number | T =>
	typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const recordsOf = <Schema = JsonRecord>(value: unknown): Array<Told<Schema>> =>
	listOf(value).filter(isRecord) as Array<Told<Schema>>;

/** A copy that lacks some fields. */
export const without = (record: JsonRecord, ...fields: string[]): JsonRecord =>
	Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));
