import { GraphError } from '../errors';
import { parseExact } from '../json/exactJson';
import { isRecord } from '../decode';
import type { InputValues } from './applyInputs';
import { nestsTooDeep } from './nesting';

const bad = (detail: string, more: { isUnreadable?: true } = {}) => new GraphError({ fault: 'bad_values', detail, ...more });

/**
 * Input values from an object or its JSON text; empty means none.
 * @throws GraphError `bad_values` when it is not `{"<node>": {"<input>": value}}`.
 */
export function parseInputValues(input: unknown): InputValues {
	let value: unknown = input ?? {};
	if (typeof value === 'string') {
		if (value.trim() === '') return {};
		try {
			value = parseExact(value);
		} catch (error) {
			throw bad(error instanceof Error ? error.message : String(error), { isUnreadable: true });
		}
	}
	if (!isRecord(value)) throw bad('it is not a JSON object');
	if (nestsTooDeep(value)) throw bad('it nests too deep');
	for (const [node, inputs] of Object.entries(value)) {
		if (!isRecord(inputs)) throw bad(`the value for node "${node}" is not an object of inputs`);
	}
	return value as InputValues;
}
