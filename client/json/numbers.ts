import { isLosslessNumber, LosslessNumber } from 'lossless-json';

import { withoutTrailing } from '../withoutTrailing';

/** A number as it was written, where a double would change it. */
export { isLosslessNumber as isExactNumber, LosslessNumber as ExactNumber };

/** The most digits by which a double is ever told. */
const DIGITS_OF_A_DOUBLE = 17;
const WHOLE = /^-?\d+$/;
/** At most 15 digits within the range of a double, which always holds them. */
const SHORT_NUMBER = /^-?\d{1,7}(?:\.\d{1,8})?(?:[eE][-+]?\d{1,2})?$/;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

interface Decimal {
	/** Without zeros around them; empty for zero. */
	digits: string;
	exponent: number;
}

function decimalOf(literal: string): Decimal {
	const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(literal) ?? [];
	const significant = (whole + fraction).replace(/^0+/, '');
	const digits = withoutTrailing('0', significant);
	return { digits, exponent: digits === '' ? 0 : Number(exponent) - fraction.length + significant.length - digits.length };
}

const same = (one: Decimal, other: Decimal): boolean => one.digits === other.digits && one.exponent === other.exponent;

/**
 * Whether a double holds what a JSON number says: whole numbers up to 2^53, others where the double tells the same at
 * as many digits. Beyond 2^53 the digits alone say nothing, because many programs write there what is left of others.
 */
export function fitsDouble(literal: string): boolean {
	if (SHORT_NUMBER.test(literal)) return true;
	const double = Number(literal);
	if (WHOLE.test(literal)) return Number.isSafeInteger(double);
	if (!Number.isFinite(double)) return false;
	const decimal = decimalOf(literal);
	const { length: count } = decimal.digits;
	const isToldSo = (told: string): boolean => same(decimal, decimalOf(told));
	return isToldSo(String(double)) || (count > 0 && count <= DIGITS_OF_A_DOUBLE && isToldSo(double.toPrecision(count)));
}

export const doubleOf = (number: number | LosslessNumber): number => (typeof number === 'number' ? number : Number(number.value));

/** A whole number, of any length, that is still the one that was meant. */
export const isWhole = (value: unknown): boolean => (isLosslessNumber(value) ? WHOLE.test(value.value) : Number.isSafeInteger(value));

/** A number that a double may have changed before anybody looked; ComfyUI's largest whole number is 2^64 - 1. */
export const hasLostDigits = (number: number): boolean =>
	!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number) && Math.abs(number) <= 2 ** 64);

function literalOf(value: unknown): string | undefined {
	if (isLosslessNumber(value)) return value.value;
	return typeof value === 'number' || (typeof value === 'string' && NUMBER.test(value)) ? String(value) : undefined;
}

/** Whole numbers by every digit; others as doubles, which is what most services make of them. A text that names the number is the same. */
export function isSameNumber(sent: unknown, read: unknown): boolean {
	const [one, other] = [literalOf(sent), literalOf(read)];
	if (one === undefined || other === undefined) return false;
	return one === other || (!(WHOLE.test(one) && WHOLE.test(other)) && Number(one) === Number(other));
}
