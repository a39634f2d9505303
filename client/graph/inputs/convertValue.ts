import { isRecord } from '../../json/decode';
import { GraphError } from '../../errors/errors';
import type { ExpectedValue } from '../../errors/graphFaults';
import { parseExact, parseExactNumber } from '../../json/exactJson';
import { type ExactNumber, hasLostDigits, isExactInteger, isExactNumber, toDouble } from '../../json/numbers';
import { nearMatches } from '../../text/text';
import { findOffered } from './definitions';
import { isAssetReference } from './files';
import { type GraphInput, isRandomSeed } from './listInputs';

type Amount = number | ExactNumber;

const MOST_COMPARED = 2_000;
const TRUE: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1']);
const FALSE: ReadonlySet<string> = new Set(['false', 'no', 'off', '0']);

const wrongValue = ({ label }: GraphInput, expected: ExpectedValue, value: unknown): GraphError =>
	new GraphError({ fault: 'wrong_value', label, expected, given: describeValue(value) });

/** The content of an object or a list does not help, and may be secret. */
function describeValue(value: unknown): string {
	if (value === null || value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (isRecord(value)) return 'an object';
	return typeof value === 'string' ? `"${value}"` : String(isExactNumber(value) ? value.value : value);
}

function checkDigitsKept(input: GraphInput, value: unknown): void {
	if (typeof value === 'number' && hasLostDigits(value))
		throw new GraphError({ fault: 'value_lost_digits', label: input.label, left: String(value) });
}

function toAmount(input: GraphInput, value: unknown, expected: ExpectedValue): Amount {
	checkDigitsKept(input, value);
	if (typeof value === 'number' || isExactNumber(value)) return value;
	const text = typeof value === 'bigint' ? String(value) : value;
	const amount = typeof text === 'string' ? parseExactNumber(text.trim()) : undefined;
	if (amount === undefined) throw wrongValue(input, expected, value);
	return amount;
}

/** Compares whole numbers digit by digit, and others as doubles. */
function isLess(one: Amount, other: Amount): boolean {
	const toWhole = (amount: Amount): bigint | undefined => {
		if (isExactNumber(amount)) return isExactInteger(amount) ? BigInt(amount.value) : undefined;
		return Number.isInteger(amount) ? BigInt(amount) : undefined;
	};
	const [left, right] = [toWhole(one), toWhole(other)];
	return left !== undefined && right !== undefined ? left < right : toDouble(one) < toDouble(other);
}

function checkRange(input: GraphInput, amount: Amount): Amount {
	const { min, max } = input.limits ?? {};
	const bound = (limit: number | string | undefined): Amount | undefined => (typeof limit === 'string' ? parseExactNumber(limit) : limit);
	const [least, most] = [bound(min), bound(max)];
	if (isRandomSeed({ ...input, value: amount })) return amount;
	if ((least !== undefined && isLess(amount, least)) || (most !== undefined && isLess(most, amount))) {
		throw new GraphError({
			fault: 'value_out_of_range',
			label: input.label,
			value: describeValue(amount),
			min: min?.toString(),
			max: max?.toString(),
		});
	}
	return amount;
}

function toInteger(input: GraphInput, value: unknown): Amount {
	const amount = toAmount(input, value, 'integer');
	if (!isExactInteger(amount)) throw wrongValue(input, 'integer', value);
	return checkRange(input, amount);
}

function toBoolean(input: GraphInput, value: unknown): boolean {
	const word = ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim().toLowerCase() : '';
	if (TRUE.has(word)) return true;
	if (FALSE.has(word)) return false;
	throw wrongValue(input, 'boolean', value);
}

function toText(input: GraphInput, value: unknown): string {
	checkDigitsKept(input, value);
	if (typeof value === 'string') return value;
	if (isExactNumber(value)) return value.value;
	if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	throw wrongValue(input, 'text', value);
}

/** @returns the choice in its own type. Upper and lower case are the same if this matches only one choice. */
function toChoice(input: GraphInput, value: unknown): string | number | boolean {
	const choices = input.limits?.choices ?? [];
	const wanted = toText(input, value);
	const exact = choices.find((one) => String(one) === wanted) ?? findOffered(choices, wanted);
	if (exact !== undefined) return exact as string;
	const alike = choices.filter((one) => String(one).toLowerCase() === wanted.trim().toLowerCase());
	if (alike.length === 1) return alike[0] as string;
	const offered = choices.map(String);
	const near = nearMatches(wanted, offered.slice(0, MOST_COMPARED));
	throw new GraphError({ fault: 'value_not_offered', label: input.label, value: describeValue(value), near, offered });
}

const parseText = (input: GraphInput, value: unknown, expected: ExpectedValue): unknown => {
	if (typeof value !== 'string') return value;
	try {
		return parseExact(value);
	} catch {
		throw wrongValue(input, expected, value);
	}
};

/** A bare list would be a link, so a list is wrapped. */
function toJson(input: GraphInput, value: unknown): unknown {
	const content = parseText(input, value, 'json');
	if (content === undefined || content === null) throw wrongValue(input, 'json', value);
	return Array.isArray(content) ? { __value__: content } : content;
}

/** A file is a name or an asset reference. An expression inside a text turns an asset reference into JSON. */
function toFile(input: GraphInput, value: unknown): unknown {
	const reference = typeof value === 'string' && value.trimStart().startsWith('{') ? parseText(input, value, 'file') : value;
	if (isAssetReference(reference)) return reference;
	if (typeof reference === 'string' && reference !== '') return reference;
	throw wrongValue(input, 'file', value);
}

const CONVERTERS: Record<GraphInput['kind'], (input: GraphInput, value: unknown) => unknown> = {
	text: toText,
	integer: toInteger,
	number: (input, value) => checkRange(input, toAmount(input, value, 'number')),
	boolean: toBoolean,
	choice: toChoice,
	json: toJson,
};

/**
 * @returns the value in the type of the input. `"7"` becomes 7 for a number, and 7 becomes `"7"` for a text. A number that a double
 * cannot hold becomes an `ExactNumber`.
 * @throws GraphError `wrong_value`, `value_out_of_range`, `value_not_offered` or `value_lost_digits`.
 */
export const convertValue = (input: GraphInput, value: unknown): unknown =>
	(input.role === 'file' ? toFile : CONVERTERS[input.kind])(input, value);
