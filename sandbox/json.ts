/** Reading and writing JSON as Python does, with whole numbers of any length, and checks of what was read. */
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

export { isLosslessNumber, LosslessNumber };

/** Returns a `LosslessNumber` for each number that JavaScript would write differently. @throws SyntaxError if the text is not JSON. */
export function readJson(text: string): unknown {
	const whole: unknown = JSON.parse(text);
	if (!/[\d.]{16}|\d[eE][-+]?\d{3}/.test(text)) return whole;
	return parse(text, undefined, {
		parseNumber: (digits) => (String(Number(digits)) === digits ? Number(digits) : new LosslessNumber(digits)),
		onDuplicateKey: ({ newValue }) => newValue,
	});
}

export const writeJson = (value: unknown): string => stringify(value) ?? '';

/** The value as a program with doubles reads it. */
export const toDoubles = (value: unknown): unknown =>
	JSON.parse(JSON.stringify(value, (_key, one: unknown) => (isLosslessNumber(one) ? Number(one.value) : one)));

/** Whether a JSON value is an object: not null, not a list, not an exact number. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** @returns undefined if the text is not a JSON object. */
export function parseObject(text = ''): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isRecord(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

export const isStringArray = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** @param time epoch milliseconds. */
export const toIsoTime = (time: number): string => new Date(time).toISOString();
