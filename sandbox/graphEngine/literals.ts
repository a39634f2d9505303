import { isLosslessNumber, writeJson } from '../exactJson';
import type { InputSpec } from './nodeClass';
import type { Value } from './values';

export type LiteralProblem = { type: string; reason: string };

/** A link is `["<node id>", <output slot>]`; ComfyUI reads every list as one. */
export const isLink = (value: unknown): value is [string, number] =>
	Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && Number.isInteger(value[1]);

/** Reads a value written in the graph as the input's type, or says why it cannot be one. */
export function readLiteral(spec: InputSpec, name: string, written: unknown): Value | { problem: LiteralProblem } {
	const literal = isLosslessNumber(written) && spec.type !== 'INT' && spec.type !== 'FLOAT' ? written.value : written;
	switch (spec.type) {
		case 'INT':
		case 'FLOAT':
			return readNumber(spec, name, literal);
		case 'STRING':
			return typeof literal === 'object' ? invalidType(name, literal, 'STRING') : { type: 'STRING', value: String(literal) };
		case 'BOOLEAN':
			return typeof literal === 'object' ? invalidType(name, literal, 'BOOLEAN') : { type: 'BOOLEAN', value: Boolean(literal) };
		case 'COMBO':
			return readOption(spec.options, name, literal);
		case 'FILE':
			return isFileReference(literal) ? { type: 'FILE', reference: literal } : invalidType(name, literal, 'FILE');
		default:
			return invalidType(name, literal, spec.type);
	}
}

type NumberSpec = Extract<InputSpec, { type: 'INT' | 'FLOAT' }>;

function readNumber(spec: NumberSpec, name: string, literal: unknown): Value | { problem: LiteralProblem } {
	const value = spec.type === 'INT' ? toInteger(literal) : toNumber(literal);
	if (value === undefined) return invalidType(name, literal, spec.type);
	if (value < spec.min) {
		return { problem: { type: 'value_smaller_than_min', reason: `Value ${value} smaller than min of ${spec.min}: ${name}` } };
	}
	if (value > spec.max)
		return { problem: { type: 'value_bigger_than_max', reason: `Value ${value} bigger than max of ${spec.max}: ${name}` } };
	return typeof value === 'bigint' ? { type: 'INT', value: Number(value), exact: value } : { type: spec.type, value };
}

/** As Python's `int`: digits in a text, fractions cut off; a bigint where a double is not exact. */
function toInteger(literal: unknown): number | bigint | undefined {
	const written = isLosslessNumber(literal) ? literal.value : literal;
	if (typeof written === 'string' && WHOLE.test(written)) {
		const number = Number(written);
		return Number.isSafeInteger(number) ? number : BigInt(written.trim().replace('+', ''));
	}
	const number = typeof written === 'string' && !isLosslessNumber(literal) ? undefined : toNumber(written);
	return number === undefined ? undefined : Math.trunc(number);
}

const WHOLE = /^\s*[-+]?\d+\s*$/;

function toNumber(literal: unknown): number | undefined {
	if (typeof literal === 'boolean') return Number(literal);
	if (isLosslessNumber(literal)) return toNumber(literal.value);
	const number = typeof literal === 'string' && literal.trim() !== '' ? Number(literal) : literal;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readOption(options: readonly string[], name: string, literal: unknown): Value | { problem: LiteralProblem } {
	if (typeof literal === 'string' && options.includes(literal)) return { type: 'STRING', value: literal };
	const list = options.length > MOST_OPTIONS_TOLD ? `(list of length ${options.length})` : `[${options.map(quoted).join(', ')}]`;
	return {
		problem: {
			type: 'value_not_in_list',
			reason: `Value not in list: ${name}: ${typeof literal === 'string' ? quoted(literal) : writeJson(literal)} not in ${list}`,
		},
	};
}

/** ComfyUI counts the options of longer lists. */
const MOST_OPTIONS_TOLD = 20;
const quoted = (text: string): string => `'${text}'`;

function isFileReference(literal: unknown): boolean {
	if (typeof literal === 'string') return literal !== '';
	return typeof literal === 'object' && literal !== null && '__type' in literal && literal.__type === 'core/ASSET';
}

const invalidType = (name: string, literal: unknown, type: string): { problem: LiteralProblem } => ({
	problem: { type: 'invalid_input_type', reason: `Failed to convert an input value to a ${type} value: ${name}, ${writeJson(literal)}` },
});
