import { isRecord, type JsonRecord } from '../../decode';
import { parseExactNumber, parseExact } from '../../json/exactJson';
import { toDouble, type ExactNumber, hasLostDigits, isExactNumber, isExactInteger } from '../../json/numbers';
import { ADDITIONAL_LABEL, formatNumberRange, listFormFields, formatLength } from './formFields';
import { InputError, type JsonType, type InputField, type FieldGroup } from './types';

export type FormValues = Record<string, unknown>;

export const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Returns the value for a required field that was left empty.
 * @throws InputError if there is none.
 */
function valueIfEmpty(leaf: InputField): unknown {
	if (leaf.default !== undefined) return leaf.default;
	if (leaf.nullable) return null;
	throw new InputError({ fault: 'empty', field: leaf.label });
}

const hasValues = (node: FieldGroup, values: FormValues): boolean =>
	Object.values(node.properties).some((child) => {
		if (child.kind === 'const') return false;
		return child.kind === 'properties' ? hasValues(child, values) : !isBlank(values[child.id]);
	});

function toObject(node: FieldGroup, values: FormValues): JsonRecord {
	const body: JsonRecord = {};
	for (const [name, child] of Object.entries(node.properties)) {
		if (child.kind === 'const') {
			body[name] = child.value;
		} else if (child.kind === 'properties') {
			if (child.required || hasValues(child, values)) body[name] = toObject(child, values);
		} else if (!isBlank(values[child.id])) {
			body[name] = toRequestValue(child, values[child.id]);
		} else if (child.required) {
			body[name] = valueIfEmpty(child);
		}
	}
	return body;
}

/**
 * Rejects values for unknown fields. The form may have been filled in for an older schema, and its values must not be
 * ignored.
 */
function rejectUnknownFields(tree: FieldGroup, values: FormValues): void {
	const known = listFormFields(tree).map(({ id }) => id);
	const unknown = Object.keys(values).find((id) => !known.includes(id) && !isBlank(values[id]));
	if (unknown !== undefined) throw new InputError({ fault: 'unknown_field', field: unknown, known });
}

/**
 * Returns the request body, with the types of the schema. Optional fields that were left empty are left out.
 * @param values by field id.
 * @throws InputError with the label of the field.
 */
export function buildRequestBody(tree: FieldGroup, values: FormValues): JsonRecord {
	rejectUnknownFields(tree, values);
	const additional = tree.additionalId === undefined ? undefined : values[tree.additionalId];
	return { ...(isBlank(additional) ? {} : toRecord({ label: ADDITIONAL_LABEL }, additional)), ...toObject(tree, values) };
}

type FieldOf<Kind extends InputField['kind']> = Extract<InputField, { kind: Kind }>;

const wrongTypeError = (leaf: { label: string }, expected: string): InputError =>
	new InputError({ fault: 'wrong_type', field: leaf.label, expected });

function toText(leaf: FieldOf<'text'>, value: unknown): string {
	if (typeof value === 'object') throw wrongTypeError(leaf, 'text');
	const text = String(value);
	const letters = [...text].length;
	if (letters < (leaf.shortest ?? 0) || letters > (leaf.longest ?? Infinity)) {
		throw new InputError({ fault: 'out_of_range', field: leaf.label, allowed: formatLength(leaf) });
	}
	return text;
}

/** Converts a number, which expressions often return as text; NaN for other text. */
function parseNumber(value: unknown): number | ExactNumber {
	if (typeof value === 'number' || isExactNumber(value)) return value;
	if (typeof value !== 'string' || !/^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return NaN;
	return parseExactNumber(value.trim()) ?? Number(value);
}

function toNumber(leaf: FieldOf<'number'>, value: unknown): number | ExactNumber {
	const { whole, bounds } = leaf;
	const number = parseNumber(value);
	if (typeof number === 'number' && !Number.isFinite(number)) throw wrongTypeError(leaf, whole ? 'a whole number' : 'a number');
	if (whole && typeof number === 'number' && hasLostDigits(number))
		throw new InputError({ fault: 'lost_digits', field: leaf.label, left: String(number) });
	if (whole && !isExactInteger(number)) throw wrongTypeError(leaf, 'a whole number');
	const { aboveMinimum, belowMaximum } = bounds;
	const [double, minimum, maximum] = [toDouble(number), toDouble(bounds.minimum ?? -Infinity), toDouble(bounds.maximum ?? Infinity)];
	const tooLow = aboveMinimum ? double <= minimum : double < minimum;
	const tooHigh = belowMaximum ? double >= maximum : double > maximum;
	if (tooLow || tooHigh) throw new InputError({ fault: 'out_of_range', field: leaf.label, allowed: formatNumberRange(bounds) });
	return number;
}

function toBoolean(leaf: InputField, value: unknown): boolean {
	const text = String(value).trim().toLowerCase();
	if (typeof value === 'boolean' || (typeof value === 'string' && ['true', 'false'].includes(text))) return text === 'true';
	throw wrongTypeError(leaf, 'true or false');
}

/** Expressions may return 1 as "1". The sent value has the type of the schema. */
function toChoice(leaf: FieldOf<'choice'>, value: unknown): unknown {
	const { choices } = leaf;
	const found = choices.find((choice) => choice.value === value) ?? choices.find((choice) => String(choice.value) === String(value));
	if (found !== undefined) return found.value;
	throw new InputError({ fault: 'not_a_choice', field: leaf.label, choices: choices.map((choice) => String(choice.value)) });
}

function tryParse(value: string): unknown {
	try {
		return parseExact(value);
	} catch {
		return undefined;
	}
}

function toList(leaf: { label: string }, value: unknown): unknown[] {
	const list = typeof value === 'string' ? tryParse(value) : value;
	if (!Array.isArray(list)) throw wrongTypeError(leaf, 'a JSON list, e.g. ["one", "two"]');
	return list;
}

export function toRecord(leaf: { label: string }, value: unknown): Record<string, unknown> {
	const record = typeof value === 'string' ? tryParse(value) : value;
	if (!isRecord(record)) throw wrongTypeError(leaf, 'a JSON object, e.g. {"name": "value"}');
	return record;
}

const IS_TYPE: Record<JsonType, (value: unknown) => boolean> = {
	string: (value) => typeof value === 'string',
	integer: isExactInteger,
	number: (value) => typeof value === 'number' || isExactNumber(value),
	boolean: (value) => typeof value === 'boolean',
	array: Array.isArray,
	object: isRecord,
};

/** A text stays text if the model accepts text. Only JSON lists and objects are parsed. */
function toMixed(leaf: FieldOf<'mixed'>, value: unknown): unknown {
	const allows = (one: unknown): boolean => leaf.takes.size === 0 || [...leaf.takes].some((type) => IS_TYPE[type](one));
	if (typeof value !== 'string') {
		if (allows(value)) return value;
		if (leaf.takes.has('string') && typeof value !== 'object') return String(value);
	} else {
		const read = tryParse(value);
		const isStructure = isRecord(read) || Array.isArray(read);
		if (isStructure && allows(read)) return read;
		if (leaf.takes.size === 0 || leaf.takes.has('string')) return value;
		if (read !== undefined && allows(read)) return read;
	}
	throw wrongTypeError(leaf, [...leaf.takes].join(' or '));
}

/**
 * Converts an entered value to the value to send.
 * @throws InputError with the label of the field.
 */
export function toRequestValue(leaf: InputField, value: unknown): unknown {
	switch (leaf.kind) {
		case 'text':
			return toText(leaf, value);
		case 'number':
			return toNumber(leaf, value);
		case 'boolean':
			return toBoolean(leaf, value);
		case 'choice':
			return toChoice(leaf, value);
		case 'list':
			return toList(leaf, value);
		case 'record':
			return toRecord(leaf, value);
		case 'mixed':
			return toMixed(leaf, value);
	}
}
