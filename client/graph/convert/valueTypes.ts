import { isRecord, listOf } from '../../json/decode';
import type { ApiGraphNode } from '../../ports/job';
import { exactText } from '../../json/exactJson';
import { isExactNumber, toDouble } from '../../json/numbers';
import { type Definitions, DYNAMIC_CHOICE, findInputDefinition, type InputDefinition, isOffered } from '../inputs/definitions';
import { isNumber, parseLink, unwrapValue } from '../inputs/graphNodes';
import type { ExpectedType } from './report';

/** ComfyUI converts texts with Python's `int()` and `float()`. */
const INTEGER = /^\s*[-+]?\d+(_\d+)*\s*$/;
const DECIMAL = /^\s*[-+]?(\d+(_\d+)*(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i;

const isNumeric = (value: unknown, pattern: RegExp): boolean => isNumber(value) || (typeof value === 'string' && pattern.test(value));

/** Whether a value is a number, or a text that ComfyUI converts to one. ComfyUI makes 1 of `true`, which no author meant. */
export const isConvertibleToNumber = (value: unknown): boolean => isNumeric(value, DECIMAL);

/** ComfyUI cuts off a fraction without an error. */
const hasFraction = (value: unknown): boolean => (typeof value === 'number' || isExactNumber(value)) && toDouble(value) % 1 !== 0;

const isSameType = (one: unknown, other: unknown): boolean => typeof one === typeof other || (isNumber(one) && isNumber(other));

function isAcceptedChoice({ settings, choices }: InputDefinition, value: unknown): boolean {
	if (settings.multi_select || settings.multiselect) return true;
	// The options of a dynamic choice are the same on every server.
	if (listOf(settings.options).some(isRecord)) return isOffered(choices, value);
	// A list of files can be empty, and differs between servers. Only the type is certain.
	return choices.length === 0 ? typeof value === 'string' : choices.some((choice) => isSameType(choice, value));
}

interface TypeRule {
	expected: ExpectedType;
	accepts: (definition: InputDefinition, value: unknown) => boolean;
}

const CHOICE: TypeRule = { expected: 'choice', accepts: isAcceptedChoice };

/** Other types accept any value. */
const RULES: ReadonlyMap<string, TypeRule> = new Map([
	['INT', { expected: 'integer', accepts: (_, value) => isNumeric(value, INTEGER) && !hasFraction(value) }],
	['FLOAT', { expected: 'number', accepts: (_, value) => isNumeric(value, DECIMAL) }],
	['STRING', { expected: 'text', accepts: (_, value) => typeof value === 'string' }],
	['BOOLEAN', { expected: 'boolean', accepts: (_, value) => typeof value === 'boolean' }],
	['COMBO', CHOICE],
	[DYNAMIC_CHOICE, CHOICE],
]);

/**
 * @param definition of an input. Its type can be several types with commas between them.
 * @returns the type that the input accepts, if the value is certainly of another type; undefined if the value fits.
 */
export function findMismatch(definition: InputDefinition, value: unknown): ExpectedType | undefined {
	const rules = definition.type.split(',').flatMap((type) => RULES.get(type) ?? []);
	return rules.some(({ accepts }) => accepts(definition, value)) ? undefined : rules[0]?.expected;
}

export interface TypeMismatch {
	input: string;
	value: unknown;
	expected: ExpectedType;
}

/**
 * Compares every value of a converted node with the definition of its input. A number or a boolean in place of a text becomes a
 * text in the node, as in newer editors. It is reported nevertheless.
 */
export function fixValueTypes(node: ApiGraphNode, definitions: Definitions): TypeMismatch[] {
	const mismatches: TypeMismatch[] = [];
	for (const [input, wrapped] of Object.entries(node.inputs)) {
		if (parseLink(wrapped) !== undefined) continue;
		const definition = findInputDefinition(definitions, node, input);
		const value = unwrapValue(wrapped);
		const expected = definition && findMismatch(definition, value);
		if (expected === undefined) continue;
		mismatches.push({ input, value, expected });
		if (expected === 'text' && (isNumber(value) || typeof value === 'boolean')) node.inputs[input] = exactText(value);
	}
	return mismatches;
}
