/** Reading and writing JSON as Python does, with whole numbers of any length, and checks of what was read. */
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

export { isLosslessNumber, LosslessNumber };

/** A number stays one while JavaScript writes it as it stands. @throws SyntaxError for what is no JSON. */
export function readJson(text: string): unknown {
	const whole: unknown = JSON.parse(text);
	if (!/[\d.]{16}|\d[eE][-+]?\d{3}/.test(text)) return whole;
	return parse(text, undefined, {
		parseNumber: (digits) => (String(Number(digits)) === digits ? Number(digits) : new LosslessNumber(digits)),
		onDuplicateKey: ({ newValue }) => newValue,
	});
}

export const writeJson = (value: unknown): string => stringify(value) ?? '';

/** As a program that keeps doubles has it. */
export const asDoubles = (value: unknown): unknown =>
	JSON.parse(JSON.stringify(value, (_key, one: unknown) => (isLosslessNumber(one) ? Number(one.value) : one)));

/** Whether something made of JSON is an object: not null, not a list, not a number. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** @param time epoch milliseconds. */
export const iso = (time: number): string => new Date(time).toISOString();
