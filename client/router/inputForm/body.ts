import type { JsonRecord } from '../../decode';
import { ADDITIONAL_LABEL, formFields } from './fields';
import { InputError } from './inputError';
import type { Leaf, ObjectNode } from './types';
import { enteredRecord, enteredValue } from './values';

export type FormValues = Record<string, unknown>;

export const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/** What is sent for a field that was left empty though the model wants it. */
function whenEmpty(leaf: Leaf): unknown {
	if (leaf.default !== undefined) return leaf.default;
	if (leaf.nullable) return null;
	throw new InputError({ fault: 'empty', field: leaf.label });
}

const hasValues = (node: ObjectNode, values: FormValues): boolean =>
	Object.values(node.properties).some((child) => {
		if (child.kind === 'const') return false;
		return child.kind === 'properties' ? hasValues(child, values) : !isBlank(values[child.id]);
	});

function objectOf(node: ObjectNode, values: FormValues): JsonRecord {
	const body: JsonRecord = {};
	for (const [name, child] of Object.entries(node.properties)) {
		if (child.kind === 'const') {
			body[name] = child.value;
		} else if (child.kind === 'properties') {
			if (child.required || hasValues(child, values)) body[name] = objectOf(child, values);
		} else if (!isBlank(values[child.id])) {
			body[name] = enteredValue(child, values[child.id]);
		} else if (child.required) {
			body[name] = whenEmpty(child);
		}
	}
	return body;
}

/** A form that was filled in for an older schema: what no longer has a place must not be lost in silence. */
function checkKnown(tree: ObjectNode, values: FormValues): void {
	const known = formFields(tree).map(({ id }) => id);
	const unknown = Object.keys(values).find((id) => !known.includes(id) && !isBlank(values[id]));
	if (unknown !== undefined) throw new InputError({ fault: 'unknown_field', field: unknown, known });
}

/**
 * The body to send, with the schema's types. Optional fields that were left empty are left out.
 * @param values by the id of their field.
 * @throws InputError that names the field by its label.
 */
export function formBody(tree: ObjectNode, values: FormValues): JsonRecord {
	checkKnown(tree, values);
	const additional = tree.additionalId === undefined ? undefined : values[tree.additionalId];
	return { ...(isBlank(additional) ? {} : enteredRecord({ label: ADDITIONAL_LABEL }, additional)), ...objectOf(tree, values) };
}
