import { GraphError } from '../../errors';
import type { ExpectedValue } from '../../graphFaults';
import { parseExactNumber, parseExact } from '../../json/exactJson';
import { toDouble, type ExactNumber, hasLostDigits, isExactNumber, isExactInteger } from '../../json/numbers';
import { nearMatches } from '../../text';
import { isRecord } from '../../decode';
import { isAssetReference } from './files';
import type { GraphInput } from './types';

type Amount = number | ExactNumber;

const MOST_COMPARED = 2_000;
const TRUE: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1']);
const FALSE: ReadonlySet<string> = new Set(['false', 'no', 'off', '0']);

const wrong = ({ label }: GraphInput, expected: ExpectedValue, value: unknown) =>
	new GraphError({ fault: 'wrong_value', label, expected, given: givenAs(value) });

/** A person knows a short value again; what an object or a list holds is of no help. */
function givenAs(value: unknown): string {
	if (value === null || value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'a list';
	if (isRecord(value)) return 'an object';
	return typeof value === 'string' ? `"${value}"` : String(isExactNumber(value) ? value.value : value);
}

function keepsDigits(input: GraphInput, value: unknown): void {
	if (typeof value === 'number' && hasLostDigits(value))
		throw new GraphError({ fault: 'value_lost_digits', label: input.label, left: String(value) });
}

function amountOf(input: GraphInput, value: unknown, expected: ExpectedValue): Amount {
	keepsDigits(input, value);
	if (typeof value === 'number' || isExactNumber(value)) return value;
	const amount =
		typeof value === 'bigint' ? parseExactNumber(String(value)) : typeof value === 'string' ? parseExactNumber(value.trim()) : undefined;
	if (amount === undefined) throw wrong(input, expected, value);
	return amount;
}

/** Whole numbers by every digit, others as doubles. */
function isLess(one: Amount, other: Amount): boolean {
	const whole = (amount: Amount): bigint | undefined =>
		isExactNumber(amount)
			? isExactInteger(amount)
				? BigInt(amount.value)
				: undefined
			: Number.isInteger(amount)
				? BigInt(amount)
				: undefined;
	const [left, right] = [whole(one), whole(other)];
	return left !== undefined && right !== undefined ? left < right : toDouble(one) < toDouble(other);
}

function inRange(input: GraphInput, amount: Amount): Amount {
	const { min, max } = input.limits ?? {};
	const bound = (limit: number | string | undefined): Amount | undefined => (typeof limit === 'string' ? parseExactNumber(limit) : limit);
	const [least, most] = [bound(min), bound(max)];
	if ((least !== undefined && isLess(amount, least)) || (most !== undefined && isLess(most, amount))) {
		throw new GraphError({
			fault: 'value_out_of_range',
			label: input.label,
			value: givenAs(amount),
			min: min?.toString(),
			max: max?.toString(),
		});
	}
	return amount;
}

function integer(input: GraphInput, value: unknown): Amount {
	const amount = amountOf(input, value, 'integer');
	if (!isExactInteger(amount)) throw wrong(input, 'integer', value);
	return inRange(input, amount);
}

function boolean(input: GraphInput, value: unknown): boolean {
	const word = ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim().toLowerCase() : '';
	if (TRUE.has(word)) return true;
	if (FALSE.has(word)) return false;
	throw wrong(input, 'boolean', value);
}

function text(input: GraphInput, value: unknown): string {
	keepsDigits(input, value);
	if (typeof value === 'string') return value;
	if (isExactNumber(value)) return value.value;
	if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
	throw wrong(input, 'text', value);
}

/** The choice as it is offered: a number stays one, and case is forgiven where only one choice can be meant. */
function choice(input: GraphInput, value: unknown): string | number | boolean {
	const choices = input.limits?.choices ?? [];
	const wanted = text(input, value);
	const exact = choices.find((one) => String(one) === wanted);
	if (exact !== undefined) return exact;
	const alike = choices.filter((one) => String(one).toLowerCase() === wanted.trim().toLowerCase());
	if (alike.length === 1) return alike[0] as string;
	const offered = choices.map(String);
	const near = nearMatches(wanted, offered.slice(0, MOST_COMPARED));
	throw new GraphError({ fault: 'value_not_offered', label: input.label, value: givenAs(value), near, offered });
}

const fromText = (input: GraphInput, value: unknown, expected: ExpectedValue): unknown => {
	if (typeof value !== 'string') return value;
	try {
		return parseExact(value);
	} catch {
		throw wrong(input, expected, value);
	}
};

/** A bare list would be a link. */
function json(input: GraphInput, value: unknown): unknown {
	const content = fromText(input, value, 'json');
	if (content === undefined || content === null) throw wrong(input, 'json', value);
	return Array.isArray(content) ? { __value__: content } : content;
}

/** A file's name, or v2's reference to an asset, which an expression in a text may have turned into JSON. */
function file(input: GraphInput, value: unknown): unknown {
	const reference = typeof value === 'string' && value.trimStart().startsWith('{') ? fromText(input, value, 'file') : value;
	if (isAssetReference(reference)) return reference;
	if (typeof reference === 'string' && reference !== '') return reference;
	throw wrong(input, 'file', value);
}

const CONVERTERS: Record<GraphInput['kind'], (input: GraphInput, value: unknown) => unknown> = {
	text,
	integer,
	number: (input, value) => inRange(input, amountOf(input, value, 'number')),
	boolean,
	choice,
	json,
};

/**
 * A value in the input's own type: `"7"` becomes 7 where a number is meant, and 7 becomes `"7"` where a text is. What a
 * double cannot hold keeps its digits (`ExactNumber`).
 * @throws GraphError `wrong_value`, `value_out_of_range`, `value_not_offered` or `value_lost_digits`.
 */
export const convertValue = (input: GraphInput, value: unknown): unknown =>
	(input.role === 'file' ? file : CONVERTERS[input.kind])(input, value);
