import { isRecord, type JsonRecord, listOf, recordOf } from '../../json/decode';
import type { ApiGraph, ApiGraphNode } from '../../ports/job';
import { isSameNumber } from '../../json/numbers';
import { unwrapValue } from './graphNodes';

/** Class name → definition, as `/object_info` answers. */
export type Definitions = Record<string, JsonRecord>;

/** What a definition says about one input. */
export interface InputDefinition {
	/** `INT`, `STRING` or the type of a socket; `COMBO` for every form of choice. */
	type: string;
	settings: JsonRecord;
	/** The choices, in the type that is sent. Empty for other types. */
	choices: unknown[];
}

/** A choice that decides which further inputs the node has. They are named `<this>.<input>`. */
export const DYNAMIC_CHOICE = 'COMFY_DYNAMICCOMBO_V3';
/** A group of as many inputs of one kind as needed. They are named `<this>.<name and number>`. */
export const GROWING = 'COMFY_AUTOGROW_V3';

/**
 * A choice is `[[…], {…}]` or `["COMBO", {"options": […]}]`. Every other input is `["TYPE", {…}]`.
 * @returns undefined if the entry is neither.
 */
export function decodeInput(entry: unknown): InputDefinition | undefined {
	const [type, second] = listOf(entry);
	const settings = recordOf(second);
	if (Array.isArray(type)) return { type: 'COMBO', settings, choices: type };
	if (typeof type !== 'string') return undefined;
	if (type === DYNAMIC_CHOICE)
		return { type: 'COMBO', settings, choices: listOf(settings.options).map((option) => (isRecord(option) ? option.key : undefined)) };
	return { type, settings, choices: listOf(settings.options) };
}

/** Returns each class of the nodes of a graph once. */
export const listClassNames = (graph: ApiGraph): string[] => [...new Set(Object.values(graph).map(({ class_type: name }) => name))];

/** @returns undefined for a class that the server does not have. */
export const findDefinition = (definitions: Definitions, className: string): JsonRecord | undefined =>
	Object.hasOwn(definitions, className) ? definitions[className] : undefined;

/** @returns undefined if the definitions do not have the class, or the class does not have the input. */
export function findInputDefinition(definitions: Definitions | undefined, node: ApiGraphNode, input: string): InputDefinition | undefined {
	const definition = definitions && findDefinition(definitions, node.class_type);
	return definition && decodeInput(findEntry(definition.input, input.split('.'), [], node));
}

/**
 * @param path the dotted name of the input below `inputs`.
 * @param parents the parts of its name above `inputs`.
 */
function findEntry(inputs: unknown, path: string[], parents: string[], node: ApiGraphNode): unknown {
	const ownEntry = findOwnEntry(inputs, path.join('.'));
	const [first, ...rest] = path;
	if (ownEntry !== undefined || first === undefined) return ownEntry;
	const parent = [...parents, first];
	const entry = findOwnEntry(inputs, first);
	const option = selectOption(entry, unwrapValue(node.inputs[parent.join('.')]));
	if (!isRecord(option)) return undefined;
	const grown = listOf(entry)[0] === GROWING ? listGroups(option.input).flatMap((group) => Object.values(group))[0] : undefined;
	return grown ?? findEntry(option.inputs, rest, parent, node);
}

const listGroups = (inputs: unknown): JsonRecord[] => (isRecord(inputs) ? [inputs.required, inputs.optional].filter(isRecord) : []);

const findOwnEntry = (inputs: unknown, name: string): unknown => listGroups(inputs).find((group) => Object.hasOwn(group, name))?.[name];

/** @returns what defines the inputs below a dynamic choice or a growing group. */
function selectOption(entry: unknown, chosen: unknown): unknown {
	const [type, settings] = listOf(entry);
	if (!isRecord(settings)) return undefined;
	if (type === DYNAMIC_CHOICE) return listOf(settings.options).find((option) => isRecord(option) && option.key === chosen);
	return type === GROWING ? settings.template : undefined;
}

const isSame = (choice: unknown, value: unknown): boolean => choice === value || isSameNumber(choice, value);

/** Whether a value is one of these choices. A number is the same whether it is a double or an exact number. */
export const isOffered = (choices: unknown[], value: unknown): boolean => choices.some((choice) => isSame(choice, value));

const withSlashes = (path: string): string => path.replaceAll('\\', '/');

/** Finds a value among choices. A path is the same with the slashes of Windows. @returns the choice as the server spells it. */
export function findOffered(choices: unknown[], value: unknown): unknown {
	const offered = choices.find((choice) => isSame(choice, value));
	if (offered !== undefined || typeof value !== 'string' || !/[/\\]/.test(value)) return offered;
	const path = withSlashes(value);
	return choices.find((choice) => typeof choice === 'string' && withSlashes(choice) === path);
}
