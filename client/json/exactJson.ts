/** JSON whose numbers keep every digit: those that a double cannot hold are `ExactNumber`s in between. */
import { parse, stringify } from 'lossless-json';

import { ExactNumber, fitsDouble, hasLostDigits, isExactNumber } from './numbers';

/** Most JSON holds no number that needs a closer look. What stands before it tells it from an id, which often has digits around an e. */
export const mayHoldLongNumbers = (text: string): boolean =>
	/[[:,\s]-?\d(?:[\d.]{15}|[\d.]*[eE][-+]?\d{2})/.test(text) || /^[-\d]/.test(text);

/** What an object held already may have lost its digits; what is read here has not. */
function numberOf(literal: string): number | ExactNumber {
	const double = Number(literal);
	return fitsDouble(literal) && !hasLostDigits(double) ? double : new ExactNumber(literal);
}

/** @throws SyntaxError for what is no JSON, in the words of JSON.parse, or nests too deep. */
export function parseExact(text: string): unknown {
	const json: unknown = JSON.parse(text);
	if (!mayHoldLongNumbers(text)) return json;
	try {
		return parse(text, undefined, { parseNumber: numberOf, onDuplicateKey: ({ newValue }) => newValue });
	} catch (error) {
		throw error instanceof RangeError ? new SyntaxError('it nests too deep') : error;
	}
}

/** One number as text; undefined for what is none. */
export const exactNumberOf = (text: string): number | ExactNumber | undefined =>
	/^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? numberOf(text) : undefined;

/** The JSON text, each number as it was read. */
export const exactText = (value: unknown, space?: number): string => stringify(value, undefined, space) ?? 'null';

/** A copy in which a number that a double cannot hold is its text, because n8n's items hold doubles. */
export function withNumbersAsText<T>(value: T): T;
export function withNumbersAsText(value: unknown): unknown {
	if (isExactNumber(value)) return fitsDouble(value.value) ? Number(value.value) : value.value;
	if (Array.isArray(value)) return value.map((one: unknown) => withNumbersAsText(one));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withNumbersAsText(one as unknown)]));
}
