/** Decoders for unknown JSON. They treat a missing field and a field of the wrong type alike. */
import { ShapeError } from '../errors/errors';
import { isExactNumber } from './numbers';

export type JsonRecord = Record<string, unknown>;

/** Whether a JSON value is an object, and not null, a list or a number. */
export const isRecord = (value: unknown): value is JsonRecord =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);

/**
 * A record with the fields of its contract, each still unchecked: any field may be missing or have any type. Reading a
 * field that the contract lacks does not compile.
 */
export type Unchecked<Schema> = { [Field in keyof Schema]?: unknown };

export function requireRecord<Schema = JsonRecord>(value: unknown, what: string): Unchecked<Schema> {
	if (!isRecord(value)) throw new ShapeError(`${what} is not an object`);
	return value as Unchecked<Schema>;
}

export function requireText(value: unknown, what: string): string {
	if (typeof value !== 'string' || value === '') throw new ShapeError(`${what} is missing`);
	return value;
}

export const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value !== '' ? value : otherwise);

export const numberOr = <T>(value: unknown, otherwise: T): number | T =>
	typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns the record; an empty one for any other value. */
export const recordOf = <Schema = JsonRecord>(value: unknown): Unchecked<Schema> => (isRecord(value) ? (value as Unchecked<Schema>) : {});

export const recordsOf = <Schema = JsonRecord>(value: unknown): Array<Unchecked<Schema>> =>
	listOf(value).filter(isRecord) as Array<Unchecked<Schema>>;

/** Returns a copy without these fields. */
export const without = (record: JsonRecord, ...fields: string[]): JsonRecord =>
	Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));

/** Returns the first entry with each key, in the same order. */
export function firstOfEach<T>(all: readonly T[], keyOf: (one: T) => string): T[] {
	const first = new Map<string, T>();
	for (const one of all) {
		const key = keyOf(one);
		if (!first.has(key)) first.set(key, one);
	}
	return [...first.values()];
}

/** Returns the JSON value of a text; undefined if the text is not JSON. */
export function parseIfJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
