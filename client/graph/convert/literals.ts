import { isRecord, listOf } from '../../decode';
import type { ApiGraphNode } from '../../job';
import { exactText } from '../../json/exactJson';
import { toDouble, isExactNumber } from '../../json/numbers';
import type { Definitions } from '../form';
import { DYNAMIC_CHOICE, inputDefinition, isOffered, type InputDefinition } from '../form/definition';
import { contentOf, isNumber, linkOf } from '../form/literals';

/** What a class takes at an input. `choice`: one of the values that it lists. */
export type ExpectedType = 'integer' | 'number' | 'text' | 'boolean' | 'choice';

/** ComfyUI converts texts by Python's `int()` and `float()`. */
const INTEGER = /^\s*[-+]?\d+(_\d+)*\s*$/;
const DECIMAL = /^\s*[-+]?(\d+(_\d+)*(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*$/i;

const isNumeric = (value: unknown, pattern: RegExp): boolean =>
	isNumber(value) || typeof value === 'boolean' || (typeof value === 'string' && pattern.test(value));

/** ComfyUI cuts a fraction off without a word. */
const isFraction = (value: unknown): boolean => (typeof value === 'number' || isExactNumber(value)) && toDouble(value) % 1 !== 0;

const isSameType = (one: unknown, other: unknown): boolean => typeof one === typeof other || (isNumber(one) && isNumber(other));

function isChoice({ settings, choices }: InputDefinition, value: unknown): boolean {
	if (settings.multi_select || settings.multiselect) return true;
	// The names of inputs come with their choice: they are the same on every server.
	if (listOf(settings.options).some(isRecord)) return isOffered(choices, value);
	// A list of files can be empty or differ between servers: only the type is certain.
	return choices.length === 0 ? typeof value === 'string' : choices.some((choice) => isSameType(choice, value));
}

interface Rule {
	expected: ExpectedType;
	accepts: (definition: InputDefinition, value: unknown) => boolean;
}

const CHOICE: Rule = { expected: 'choice', accepts: isChoice };

/** Other types take any value. */
const RULES: ReadonlyMap<string, Rule> = new Map([
	['INT', { expected: 'integer', accepts: (_, value) => isNumeric(value, INTEGER) && !isFraction(value) }],
	['FLOAT', { expected: 'number', accepts: (_, value) => isNumeric(value, DECIMAL) }],
	['STRING', { expected: 'text', accepts: (_, value) => typeof value === 'string' }],
	['BOOLEAN', { expected: 'boolean', accepts: (_, value) => typeof value === 'boolean' }],
	['COMBO', CHOICE],
	[DYNAMIC_CHOICE, CHOICE],
]);

/**
 * @param definition an input of a class. Its type can be several types with commas between them.
 * @returns what the input takes, if the value is certainly something else; undefined if the value fits, or if its type takes any value.
 */
export function misfitOf(definition: InputDefinition, value: unknown): ExpectedType | undefined {
	const rules = definition.type.split(',').flatMap((type) => RULES.get(type) ?? []);
	return rules.some(({ accepts }) => accepts(definition, value)) ? undefined : rules[0]?.expected;
}

export interface Misfit {
	input: string;
	value: unknown;
	expected: ExpectedType;
}

/**
 * The last check of a converted node: every value in it, from wherever it came, against the definition of its input.
 * A number or a boolean at a text is written as text, as newer editors do, and is still reported.
 */
export function checkLiterals(node: ApiGraphNode, definitions: Definitions): Misfit[] {
	const found: Misfit[] = [];
	for (const [input, written] of Object.entries(node.inputs)) {
		if (linkOf(written) !== undefined) continue;
		const definition = inputDefinition(definitions, node, input);
		const value = contentOf(written);
		const expected = definition && misfitOf(definition, value);
		if (expected === undefined) continue;
		found.push({ input, value, expected });
		if (expected === 'text' && (isNumber(value) || typeof value === 'boolean')) node.inputs[input] = exactText(value);
	}
	return found;
}
