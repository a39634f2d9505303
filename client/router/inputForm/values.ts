import { isRecord } from '../../decode';
import { exactNumberOf, parseExact } from '../../json/exactJson';
import { doubleOf, type ExactNumber, hasLostDigits, isExactNumber, isWhole } from '../../json/numbers';
import { InputError } from './inputError';
import type { JsonType, Leaf } from './types';
import { boundsText, lengthText } from './words';

type LeafOf<Kind extends Leaf['kind']> = Extract<Leaf, { kind: Kind }>;

const wrongType = (leaf: { label: string }, expected: string): InputError =>
	new InputError({ fault: 'wrong_type', field: leaf.label, expected });

function textOf(leaf: LeafOf<'text'>, value: unknown): string {
	if (typeof value === 'object') throw wrongType(leaf, 'text');
	const text = String(value);
	const letters = [...text].length;
	if (letters < (leaf.shortest ?? 0) || letters > (leaf.longest ?? Infinity)) {
		throw new InputError({ fault: 'out_of_range', field: leaf.label, allowed: lengthText(leaf) });
	}
	return text;
}

/** Expressions often give a number as text; a text that is no number is none. */
function asNumber(value: unknown): number | ExactNumber {
	if (typeof value === 'number' || isExactNumber(value)) return value;
	if (typeof value !== 'string' || !/^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return NaN;
	return exactNumberOf(value.trim()) ?? Number(value);
}

function numberOf(leaf: LeafOf<'number'>, value: unknown): number | ExactNumber {
	const { whole, bounds } = leaf;
	const number = asNumber(value);
	if (typeof number === 'number' && !Number.isFinite(number)) throw wrongType(leaf, whole ? 'a whole number' : 'a number');
	if (whole && typeof number === 'number' && hasLostDigits(number))
		throw new InputError({ fault: 'lost_digits', field: leaf.label, left: String(number) });
	if (whole && !isWhole(number)) throw wrongType(leaf, 'a whole number');
	const { aboveMinimum, belowMaximum } = bounds;
	const [double, minimum, maximum] = [doubleOf(number), doubleOf(bounds.minimum ?? -Infinity), doubleOf(bounds.maximum ?? Infinity)];
	const tooLow = aboveMinimum ? double <= minimum : double < minimum;
	const tooHigh = belowMaximum ? double >= maximum : double > maximum;
	if (tooLow || tooHigh) throw new InputError({ fault: 'out_of_range', field: leaf.label, allowed: boundsText(bounds) });
	return number;
}

function booleanOf(leaf: Leaf, value: unknown): boolean {
	const word = String(value).trim().toLowerCase();
	if (typeof value === 'boolean' || (typeof value === 'string' && ['true', 'false'].includes(word))) return word === 'true';
	throw wrongType(leaf, 'true or false');
}

/** Expressions may give 1 as "1"; what is sent has the schema's type. */
function choiceOf(leaf: LeafOf<'choice'>, value: unknown): unknown {
	const { choices } = leaf;
	const found = choices.find((choice) => choice.value === value) ?? choices.find((choice) => String(choice.value) === String(value));
	if (found !== undefined) return found.value;
	throw new InputError({ fault: 'not_a_choice', field: leaf.label, choices: choices.map((choice) => String(choice.value)) });
}

function parsed(value: string): unknown {
	try {
		return parseExact(value);
	} catch {
		return undefined;
	}
}

function enteredList(leaf: { label: string }, value: unknown): unknown[] {
	const list = typeof value === 'string' ? parsed(value) : value;
	if (!Array.isArray(list)) throw wrongType(leaf, 'a JSON list, e.g. ["one", "two"]');
	return list;
}

export function enteredRecord(leaf: { label: string }, value: unknown): Record<string, unknown> {
	const record = typeof value === 'string' ? parsed(value) : value;
	if (!isRecord(record)) throw wrongType(leaf, 'a JSON object, e.g. {"name": "value"}');
	return record;
}

const isOf: Record<JsonType, (value: unknown) => boolean> = {
	string: (value) => typeof value === 'string',
	integer: isWhole,
	number: (value) => typeof value === 'number' || isExactNumber(value),
	boolean: (value) => typeof value === 'boolean',
	array: Array.isArray,
	object: isRecord,
};

/** A text stays one wherever the model takes text; only what looks like JSON's own lists and objects is read as such. */
function mixedOf(leaf: LeafOf<'mixed'>, value: unknown): unknown {
	const allows = (one: unknown): boolean => leaf.takes.size === 0 || [...leaf.takes].some((type) => isOf[type](one));
	if (typeof value !== 'string') {
		if (allows(value)) return value;
		if (leaf.takes.has('string') && typeof value !== 'object') return String(value);
	} else {
		const read = parsed(value);
		const isStructure = isRecord(read) || Array.isArray(read);
		if (isStructure && allows(read)) return read;
		if (leaf.takes.size === 0 || leaf.takes.has('string')) return value;
		if (read !== undefined && allows(read)) return read;
	}
	throw wrongType(leaf, [...leaf.takes].join(' or '));
}

/** What is sent for what was entered. @throws InputError that names the field. */
export function enteredValue(leaf: Leaf, value: unknown): unknown {
	switch (leaf.kind) {
		case 'text':
			return textOf(leaf, value);
		case 'number':
			return numberOf(leaf, value);
		case 'boolean':
			return booleanOf(leaf, value);
		case 'choice':
			return choiceOf(leaf, value);
		case 'list':
			return enteredList(leaf, value);
		case 'record':
			return enteredRecord(leaf, value);
		case 'mixed':
			return mixedOf(leaf, value);
	}
}
