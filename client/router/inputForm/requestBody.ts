import { isRecord, type JsonRecord } from '../../json/decode';
import { parseExact, parseExactNumber } from '../../json/exactJson';
import { type ExactNumber, hasLostDigits, isExactInteger, isExactNumber, toDouble } from '../../json/numbers';
import { ADDITIONAL_LABEL, formatLength, formatNumberRange, listFormFields } from './formFields';
import { type FieldGroup, InputError, type InputField, type JsonType } from './types';

export type FormValues = Record<string, unknown>;

export const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Returns the value for a required field that was left empty.
 * @throws InputError if there is none.
 */
function valueIfEmpty(field: InputField): unknown {
	if (field.default !== undefined) return field.default;
	if (field.nullable) return null;
	throw new InputError({ fault: 'empty', field: field.label });
}

const hasValues = (group: FieldGroup, values: FormValues): boolean =>
	Object.values(group.properties).some((child) => {
		if (child.kind === 'const') return false;
		return child.kind === 'properties' ? hasValues(child, values) : !isBlank(values[child.id]);
	});

function toObject(group: FieldGroup, values: FormValues): JsonRecord {
	const body: JsonRecord = {};
	for (const [name, child] of Object.entries(group.properties)) {
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
function rejectUnknownFields(form: FieldGroup, values: FormValues): void {
	const known = listFormFields(form).map(({ id }) => id);
	const unknown = Object.keys(values).find((id) => !known.includes(id) && !isBlank(values[id]));
	if (unknown !== undefined) throw new InputError({ fault: 'unknown_field', field: unknown, known });
}

/**
 * Returns the request body, with the types of the schema. Optional fields that were left empty are left out.
 * @param values by field id.
 * @throws InputError with the label of the field.
 */
export function buildRequestBody(form: FieldGroup, values: FormValues): JsonRecord {
	rejectUnknownFields(form, values);
	const additional = form.additionalId === undefined ? undefined : values[form.additionalId];
	return { ...(isBlank(additional) ? {} : toRecord({ label: ADDITIONAL_LABEL }, additional)), ...toObject(form, values) };
}

type FieldOf<Kind extends InputField['kind']> = Extract<InputField, { kind: Kind }>;

const wrongTypeError = (field: { label: string }, expected: string): InputError =>
	new InputError({ fault: 'wrong_type', field: field.label, expected });

function toText(field: FieldOf<'text'>, value: unknown): string {
	if (typeof value === 'object') throw wrongTypeError(field, 'text');
	const text = String(value);
	const letters = [...text].length;
	if (letters < (field.shortest ?? 0) || letters > (field.longest ?? Infinity)) {
		throw new InputError({ fault: 'out_of_range', field: field.label, allowed: formatLength(field) });
	}
	return text;
}

/** Converts a number, which expressions often return as text; NaN for other text. */
function parseNumber(value: unknown): number | ExactNumber {
	if (typeof value === 'number' || isExactNumber(value)) return value;
	if (typeof value !== 'string' || !/^\s*[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return NaN;
	return parseExactNumber(value.trim()) ?? Number(value);
}

function toNumber(field: FieldOf<'number'>, value: unknown): number | ExactNumber {
	const { whole, bounds } = field;
	const number = parseNumber(value);
	if (typeof number === 'number' && !Number.isFinite(number)) throw wrongTypeError(field, whole ? 'a whole number' : 'a number');
	if (whole && typeof number === 'number' && hasLostDigits(number))
		throw new InputError({ fault: 'lost_digits', field: field.label, left: String(number) });
	if (whole && !isExactInteger(number)) throw wrongTypeError(field, 'a whole number');
	const { aboveMinimum, belowMaximum } = bounds;
	const [double, minimum, maximum] = [toDouble(number), toDouble(bounds.minimum ?? -Infinity), toDouble(bounds.maximum ?? Infinity)];
	const tooLow = aboveMinimum ? double <= minimum : double < minimum;
	const tooHigh = belowMaximum ? double >= maximum : double > maximum;
	if (tooLow || tooHigh) throw new InputError({ fault: 'out_of_range', field: field.label, allowed: formatNumberRange(bounds) });
	return number;
}

function toBoolean(field: InputField, value: unknown): boolean {
	const text = String(value).trim().toLowerCase();
	if (typeof value === 'boolean' || (typeof value === 'string' && ['true', 'false'].includes(text))) return text === 'true';
	throw wrongTypeError(field, 'true or false');
}

/** Expressions may return 1 as "1". The sent value has the type of the schema. */
function toChoice(field: FieldOf<'choice'>, value: unknown): unknown {
	const { choices } = field;
	const found = choices.find((choice) => choice.value === value) ?? choices.find((choice) => String(choice.value) === String(value));
	if (found !== undefined) return found.value;
	throw new InputError({ fault: 'not_a_choice', field: field.label, choices: choices.map((choice) => String(choice.value)) });
}

function tryParse(value: string): unknown {
	try {
		return parseExact(value);
	} catch {
		return undefined;
	}
}

function toList(field: { label: string }, value: unknown): unknown[] {
	const list = typeof value === 'string' ? tryParse(value) : value;
	if (!Array.isArray(list)) throw wrongTypeError(field, 'a JSON list such as ["one", "two"]');
	return list;
}

export function toRecord(field: { label: string }, value: unknown): Record<string, unknown> {
	const record = typeof value === 'string' ? tryParse(value) : value;
	if (!isRecord(record)) throw wrongTypeError(field, 'a JSON object such as {"name": "value"}');
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
function toMixed(field: FieldOf<'mixed'>, value: unknown): unknown {
	const allows = (one: unknown): boolean => field.types.size === 0 || [...field.types].some((type) => IS_TYPE[type](one));
	if (typeof value !== 'string') {
		if (allows(value)) return value;
		if (field.types.has('string') && typeof value !== 'object') return String(value);
	} else {
		const read = tryParse(value);
		const isStructure = isRecord(read) || Array.isArray(read);
		if (isStructure && allows(read)) return read;
		if (field.types.size === 0 || field.types.has('string')) return value;
		if (read !== undefined && allows(read)) return read;
	}
	throw wrongTypeError(field, [...field.types].join(' or '));
}

/**
 * Converts an entered value to the value to send.
 * @throws InputError with the label of the field.
 */
function toRequestValue(field: InputField, value: unknown): unknown {
	switch (field.kind) {
		case 'text':
			return toText(field, value);
		case 'number':
			return toNumber(field, value);
		case 'boolean':
			return toBoolean(field, value);
		case 'choice':
			return toChoice(field, value);
		case 'list':
			return toList(field, value);
		case 'record':
			return toRecord(field, value);
		case 'mixed':
			return toMixed(field, value);
	}
}
