import { parse, stringify } from 'lossless-json';

import { ExactNumber, fitsDouble, hasLostDigits, isExactNumber } from './numbers';

/** JSON without loss of digits. Numbers that a double cannot hold become `ExactNumber`. */
/**
 * Whether a JSON text may contain numbers that a double cannot hold. The character before the number distinguishes it
 * from an id, which often has digits around an `e`.
 */
export const mayHoldLongNumbers = (text: string): boolean =>
	/[[:,\s]-?\d(?:[\d.]{15}|[\d.]*[eE][-+]?\d{2})/.test(text) || /^[-\d]/.test(text);

/** A number in an object may have lost digits before. A number from this parser has not. */
function toNumber(literal: string): number | ExactNumber {
	const double = Number(literal);
	return fitsDouble(literal) && !hasLostDigits(double) ? double : new ExactNumber(literal);
}

/**
 * Parses JSON.
 * @throws SyntaxError with the message of JSON.parse for invalid JSON, or if the JSON is nested too deep.
 */
export function parseExact(text: string): unknown {
	const json: unknown = JSON.parse(text);
	if (!mayHoldLongNumbers(text)) return json;
	try {
		return parse(text, undefined, { parseNumber: toNumber, onDuplicateKey: ({ newValue }) => newValue });
	} catch (error) {
		throw error instanceof RangeError ? new SyntaxError('it has too many nested levels') : error;
	}
}

/** Parses one number; undefined if the text is not a number. */
export const parseExactNumber = (text: string): number | ExactNumber | undefined =>
	/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? toNumber(text) : undefined;

/** Returns the JSON text, with each number as it was read. */
export const exactText = (value: unknown, space?: number): string => stringify(value, undefined, space) ?? 'null';

/** Returns a copy in which numbers that a double cannot hold are text, because n8n's items contain doubles. */
export function withNumbersAsText<T>(value: T): T;
export function withNumbersAsText(value: unknown): unknown {
	if (isExactNumber(value)) return fitsDouble(value.value) ? Number(value.value) : value.value;
	if (Array.isArray(value)) return value.map((one: unknown) => withNumbersAsText(one));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNumbersAsText(one as unknown)]));
}

/** No meaningful data of a service is nested deeper. Deeper data could overflow the stack of its readers. */
const MAX_DEPTH = 50;

/** Copies a JSON value and cuts it at this depth. */
export function limitDepth(value: unknown, depth = 0): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= MAX_DEPTH) return '(nested too deep)';
	if (Array.isArray(value)) return value.map((one) => limitDepth(one, depth + 1));
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, limitDepth(one, depth + 1)]));
}
