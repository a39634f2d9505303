/** JSON as Python reads and writes it: whole numbers of any length, digit by digit. */
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
