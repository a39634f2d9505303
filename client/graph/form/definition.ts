import { isRecord, type JsonRecord, listOf } from '../../decode';
import type { ApiGraphNode } from '../../job';
import { isSameNumber } from '../../json/numbers';
import { contentOf } from './literals';
import type { Definitions } from './types';

/** What a definition says of one input. */
export interface InputDefinition {
	/** `INT`, `STRING`, a socket's type; `COMBO` for every form of choice. */
	type: string;
	settings: JsonRecord;
	/** Of a choice, in the type that is sent. */
	choices: unknown[];
}

/** The choice decides which inputs stand behind it: theirs are named `<this>.<input>`. */
export const DYNAMIC_CHOICE = 'COMFY_DYNAMICCOMBO_V3';
/** As many inputs as are wanted, all alike: theirs are named `<this>.<name and number>`. */
export const GROWING = 'COMFY_AUTOGROW_V3';

/** A choice is `[[…], {…}]` or `["COMBO", {"options": […]}]`; everything else `["TYPE", {…}]`. */
export function decodedInput(entry: unknown): InputDefinition | undefined {
	const [type, second] = listOf(entry);
	const settings = isRecord(second) ? second : {};
	if (Array.isArray(type)) return { type: 'COMBO', settings, choices: type };
	if (typeof type !== 'string') return undefined;
	if (type === DYNAMIC_CHOICE)
		return { type: 'COMBO', settings, choices: listOf(settings.options).map((option) => (isRecord(option) ? option.key : undefined)) };
	return { type, settings, choices: listOf(settings.options) };
}

const groupsOf = (inputs: unknown): JsonRecord[] => (isRecord(inputs) ? [inputs.required, inputs.optional].filter(isRecord) : []);

const entryIn = (inputs: unknown, name: string): unknown => groupsOf(inputs).find((group) => Object.hasOwn(group, name))?.[name];

/** The inputs that stand behind a dotted name's first part. */
function behind(entry: unknown, chosen: unknown): unknown {
	const [type, settings] = listOf(entry);
	if (!isRecord(settings)) return undefined;
	if (type === DYNAMIC_CHOICE) return listOf(settings.options).find((option) => isRecord(option) && option.key === chosen);
	return type === GROWING ? settings.template : undefined;
}

function entryAt(inputs: unknown, path: string[], before: string[], node: ApiGraphNode): unknown {
	const whole = entryIn(inputs, path.join('.'));
	const [first, ...rest] = path;
	if (whole !== undefined || first === undefined) return whole;
	const at = [...before, first];
	const entry = entryIn(inputs, first);
	const option = behind(entry, contentOf(node.inputs[at.join('.')]));
	if (!isRecord(option)) return undefined;
	const grown = listOf(entry)[0] === GROWING ? groupsOf(option.input).flatMap((group) => Object.values(group))[0] : undefined;
	return grown ?? entryAt(option.inputs, rest, at, node);
}

/** @returns undefined for a class that the server does not tell of. */
export const definitionOf = (definitions: Definitions, className: string): JsonRecord | undefined =>
	Object.hasOwn(definitions, className) ? definitions[className] : undefined;

/** Whether a value is one of these choices; a number is the same however its digits are kept. */
export const isOffered = (choices: unknown[], value: unknown): boolean =>
	choices.some((choice) => choice === value || isSameNumber(choice, value));

/** @returns undefined where the class or its input is not told of. */
export function inputDefinition(definitions: Definitions | undefined, node: ApiGraphNode, input: string): InputDefinition | undefined {
	const definition = definitions && definitionOf(definitions, node.class_type);
	return definition && decodedInput(entryAt(definition.input, input.split('.'), [], node));
}
