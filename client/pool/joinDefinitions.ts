import { isRecord, type JsonRecord, listOf } from '../decode';
import type { Definitions } from '../graph/inputs/definitions';

const GROUPS = ['required', 'optional'] as const;

/**
 * Joins the definitions of several servers. The first server that has a class defines it, and its lists get the choices of the
 * other servers too, for example their models. Pure.
 */
export function joinDefinitions(all: readonly Definitions[]): Definitions {
	const joined: Definitions = {};
	for (const definitions of all) {
		for (const [name, definition] of Object.entries(definitions)) {
			const known = Object.hasOwn(joined, name) ? joined[name] : undefined;
			joined[name] = known === undefined ? definition : joinDefinition(known, definition);
		}
	}
	return joined;
}

function joinDefinition(one: JsonRecord, other: JsonRecord): JsonRecord {
	const [inputs, otherInputs] = [one.input, other.input];
	if (!isRecord(inputs) || !isRecord(otherInputs)) return one;
	const groups = GROUPS.flatMap((group): Array<[string, JsonRecord]> => {
		const [entries, others] = [inputs[group], otherInputs[group]];
		if (!isRecord(entries) || !isRecord(others)) return [];
		return [[group, Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, joinEntry(entry, others[name])]))]];
	});
	return { ...one, input: { ...inputs, ...Object.fromEntries(groups) } };
}

/** A list is `[[…], {…}]` or `["COMBO", {"options": […]}]`. */
function joinEntry(entry: unknown, other: unknown): unknown {
	const [type, settings, ...rest] = listOf(entry);
	const [otherType, otherSettings] = listOf(other);
	if (Array.isArray(type) && Array.isArray(otherType)) return [joinChoices(type, otherType), ...listOf(entry).slice(1)];
	if (type !== 'COMBO' || !isRecord(settings) || !isRecord(otherSettings)) return entry;
	return [type, { ...settings, options: joinChoices(listOf(settings.options), listOf(otherSettings.options)) }, ...rest];
}

const joinChoices = (choices: readonly unknown[], others: readonly unknown[]): unknown[] => [
	...choices,
	...others.filter((choice) => !choices.includes(choice)),
];
