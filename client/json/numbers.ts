import { isLosslessNumber, LosslessNumber } from 'lossless-json';

import { withoutTrailing } from '../text/text';

/** A number in its original notation, used if a double would change it. */
export { isLosslessNumber as isExactNumber, LosslessNumber as ExactNumber };

/** A double is always identified by this many digits. */
const DIGITS_OF_A_DOUBLE = 17;
const WHOLE = /^-?\d+$/;
/** At most 15 digits within the range of a double. A double always holds them. */
const SHORT_NUMBER = /^-?\d{1,7}(?:\.\d{1,8})?(?:[eE][-+]?\d{1,2})?$/;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

interface Decimal {
	/** Without leading and trailing zeros. Empty for zero. */
	digits: string;
	exponent: number;
}

function parseDecimal(literal: string): Decimal {
	const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
	const significant = (whole + fraction).replace(/^0+/, '');
	const digits = withoutTrailing('0', significant);
	return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + significant.length - digits.length };
}

const isSameDecimal = (one: Decimal, other: Decimal): boolean => one.digits === other.digits && one.exponent === other.exponent;

/**
 * Whether a double holds the value of a JSON number: integers up to 2^53, and other numbers whose double has the same
 * digits. Beyond 2^53 digits prove nothing, because many programs write what a double has left of them.
 */
export function fitsDouble(literal: string): boolean {
	if (SHORT_NUMBER.test(literal)) return true;
	const double = Number(literal);
	if (WHOLE.test(literal)) return Number.isSafeInteger(double);
	if (!Number.isFinite(double)) return false;
	const decimal = parseDecimal(literal);
	const { length: count } = decimal.digits;
	const hasSameDigits = (text: string): boolean => isSameDecimal(decimal, parseDecimal(text));
	return hasSameDigits(String(double)) || (count > 0 && count <= DIGITS_OF_A_DOUBLE && hasSameDigits(double.toPrecision(count)));
}

export const toDouble = (number: number | LosslessNumber): number => (typeof number === 'number' ? number : Number(number.value));

/** Whether the value is an integer that has lost no digits. */
export const isExactInteger = (value: unknown): boolean =>
	isLosslessNumber(value) ? WHOLE.test(value.value) : Number.isSafeInteger(value);

/** Whether a double may have changed this number before. The largest integer of ComfyUI is 2^64 - 1. */
export const hasLostDigits = (number: number): boolean =>
	!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) <= 2 ** 64);

function toLiteral(value: unknown): string | undefined {
	if (isLosslessNumber(value)) return value.value;
	return typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value)) ? String(value) : undefined;
}

/**
 * Compares two numbers: integers by every digit, other numbers as doubles, because most services convert them. A text
 * with the number is equal to it.
 */
export function isSameNumber(sent: unknown, read: unknown): boolean {
	const [one, other] = [toLiteral(sent), toLiteral(read)];
	if (one === undefined || other === undefined) return false;
	return one === other || (!(WHOLE.test(one) && WHOLE.test(other)) && Number(one) === Number(other));
}

export interface LostDigits {
	/** The path to the number. */
	path: string[];
	/** The number that is left. */
	number: number;
}

/** Finds the first number in an object that a double may have changed. An `ExactNumber` has kept its digits. */
export function findLostDigits(value: unknown, path: string[] = []): LostDigits | undefined {
	if (typeof value === 'number') return hasLostDigits(value) ? { path, number: value } : undefined;
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [name, one] of Object.entries(value)) {
		const lost = findLostDigits(one, [...path, name]);
		if (lost !== undefined) return lost;
	}
	return undefined;
}
