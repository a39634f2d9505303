import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isRecord, nearMatches } from '../../../client';
import { serverControl } from '../../shared/connect/openConnection';
import { concurrency, options, showForResource } from '../../shared/descriptions/common';
import { ItemFault } from '../../shared/itemFault';
import { messages } from '../../shared/messages/catalogue';
import type { ItemRun, ItemResult } from '../../shared/operation';
import { commaList, type ReadParameter } from '../../shared/parameters';

interface DefinitionSettings {
	/** Empty for all. */
	classes: string[];
	simplify: boolean;
}

export const needsControl = true;

const show = showForResource('nodeDefinition', 'getAll');

export const menu = {
	name: 'Get Many',
	action: 'Get many node definitions',
	description: 'Get the inputs and outputs of the node classes in the account or in your ComfyUI',
};

export const toolText =
	'Gets the definitions of ComfyUI node classes: their outputs, and their inputs with types, ranges and choices. The response may be long.';

export const description: INodeProperties[] = [
	{
		displayName: 'Classes',
		name: 'classes',
		type: 'string',
		default: '',
		placeholder: 'e.g. LoadImage, KSampler',
		description: 'Node classes to return, as in class_type of a workflow. Separate several with commas. Leave empty to return all.',
		displayOptions: show,
	},
	{
		displayName: 'Simplify',
		name: 'simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
		displayOptions: show,
	},
	options(show, [concurrency]),
];

export const settings = (read: ReadParameter): DefinitionSettings => ({
	classes: commaList(String(read<unknown>('classes', ''))),
	simplify: read<boolean>('simplify', true),
});

function unknownClass(name: string, known: string[]): ItemFault {
	const near = nearMatches(name, known);
	return new ItemFault(near.length === 0 ? messages.NODE_CLASS_UNKNOWN(name) : messages.NODE_CLASS_MISSPELLED(name, near));
}

type RawDefinition = Record<string, unknown>;

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const toEntries = (value: unknown): Array<[string, unknown]> => (isRecord(value) ? Object.entries(value) : []);

/** The settings of an input that restrict its values. */
const LIMITS = ['default', 'min', 'max', 'step', 'multiline'] as const;

/**
 * An input is `[type, settings]`. A choice has a list in place of the type, or the type `COMBO` and the list in its settings.
 */
function toInputItem([name, value]: [string, unknown], required: boolean): IDataObject {
	const [type, second] = toList(value);
	const settings: RawDefinition = isRecord(second) ? second : {};
	const choices = Array.isArray(type) ? type : settings.options;
	return {
		name,
		type: typeof type === 'string' ? type : 'COMBO',
		required,
		...Object.fromEntries(LIMITS.flatMap((limit) => (settings[limit] === undefined ? [] : [[limit, settings[limit]]]))),
		...(Array.isArray(choices) && { options: choices }),
	};
}

function toOutputItems({ output, output_name: names }: RawDefinition): IDataObject[] {
	return toList(output).map((type, index) => {
		const plainType = typeof type === 'string' ? type : 'COMBO';
		return { name: String(toList(names)[index] ?? plainType), type: plainType };
	});
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** Returns the inputs of a class with their limits, and its outputs. */
function simplifyDefinition(className: string, definition: RawDefinition): IDataObject {
	const input: RawDefinition = isRecord(definition.input) ? definition.input : {};
	return {
		class_name: className,
		display_name: textOr(definition.display_name, className),
		category: textOr(definition.category, ''),
		description: textOr(definition.description, ''),
		is_output: definition.output_node === true,
		inputs: [
			...toEntries(input.required).map((entry) => toInputItem(entry, true)),
			...toEntries(input.optional).map((entry) => toInputItem(entry, false)),
		],
		outputs: toOutputItems(definition),
	};
}

/** Returns an item for each class, in the requested order. */
export async function execute({ connection, signal }: ItemRun, { classes, simplify }: DefinitionSettings): Promise<ItemResult[]> {
	const control = serverControl(connection);
	const definitions = await control.nodeDefinitions({ classes, signal });
	const unknown = classes.find((name) => !Object.hasOwn(definitions, name));
	// An engine may have returned only the chosen classes. Similar names are searched among all classes.
	if (unknown !== undefined) throw unknownClass(unknown, Object.keys(await control.nodeDefinitions({ signal })));
	return (classes.length === 0 ? Object.keys(definitions) : classes).map((name) => {
		const definition = definitions[name] ?? {};
		return { json: simplify ? simplifyDefinition(name, definition) : ({ class_name: name, ...definition } as IDataObject) };
	});
}
