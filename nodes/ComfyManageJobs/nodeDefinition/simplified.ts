import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../client';

type Definition = Record<string, unknown>;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const entriesOf = (value: unknown): Array<[string, unknown]> => (isRecord(value) ? Object.entries(value) : []);

/** What stands beside an input's type and tells what may be entered. */
const LIMITS = ['default', 'min', 'max', 'step', 'multiline'] as const;

/**
 * An input is `[type, settings]`. A choice has its list in place of the type, or is of type `COMBO` with the list among
 * its settings.
 */
function inputOf([name, value]: [string, unknown], required: boolean): IDataObject {
	const [type, second] = listOf(value);
	const settings: Definition = isRecord(second) ? second : {};
	const choices = Array.isArray(type) ? type : settings.options;
	return {
		name,
		type: typeof type === 'string' ? type : 'COMBO',
		required,
		...Object.fromEntries(LIMITS.flatMap((limit) => (settings[limit] === undefined ? [] : [[limit, settings[limit]]]))),
		...(Array.isArray(choices) && { options: choices }),
	};
}

function outputsOf({ output, output_name: names }: Definition): IDataObject[] {
	return listOf(output).map((type, index) => {
		const plainType = typeof type === 'string' ? type : 'COMBO';
		return { name: String(listOf(names)[index] ?? plainType), type: plainType };
	});
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** What a person or an agent needs to use a node: its inputs with their limits, and its outputs. */
export function simplified(className: string, definition: Definition): IDataObject {
	const input: Definition = isRecord(definition.input) ? definition.input : {};
	return {
		class_name: className,
		display_name: textOr(definition.display_name, className),
		category: textOr(definition.category, ''),
		description: textOr(definition.description, ''),
		is_output: definition.output_node === true,
		inputs: [
			...entriesOf(input.required).map((entry) => inputOf(entry, true)),
			...entriesOf(input.optional).map((entry) => inputOf(entry, false)),
		],
		outputs: outputsOf(definition),
	};
}
