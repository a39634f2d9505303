import type { ChoiceValue, FormField, Leaf, ObjectNode } from './types';
import { lengthOf, rangeOf } from './words';

export const ADDITIONAL_LABEL = 'Additional Fields (JSON)';

const YES_OR_NO = [
	{ name: 'True', value: true },
	{ name: 'False', value: false },
];

/** A switch cannot be left alone: where leaving it out differs from off, there must be a third way. */
function shapeOf(leaf: Leaf): Pick<FormField, 'type' | 'options'> {
	switch (leaf.kind) {
		case 'text':
			return { type: 'string' };
		case 'number':
			return { type: 'number' };
		case 'boolean':
			return leaf.required || leaf.default !== undefined ? { type: 'boolean' } : { type: 'options', options: YES_OR_NO };
		case 'choice':
			return { type: 'options', options: leaf.choices };
		case 'list':
			return { type: 'array' };
		case 'record':
			return { type: 'object' };
		case 'mixed':
			return { type: leaf.takes.size === 1 && leaf.takes.has('object') ? 'object' : 'string' };
	}
}

const rangeOfLeaf = (leaf: Leaf): string => (leaf.kind === 'number' ? rangeOf(leaf.bounds) : leaf.kind === 'text' ? lengthOf(leaf) : '');

function defaultOf(value: unknown): ChoiceValue | undefined {
	if (value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
	return JSON.stringify(value);
}

function fieldOf(leaf: Leaf, required: boolean): FormField {
	const range = rangeOfLeaf(leaf);
	const preset = defaultOf(leaf.default);
	return {
		id: leaf.id,
		displayName: leaf.label,
		...shapeOf(leaf),
		required,
		...(preset === undefined ? {} : { default: preset }),
		description: [leaf.description, range === '' ? '' : `Range: ${range}.`].filter(Boolean).join(' '),
		...(range === '' ? {} : { range }),
	};
}

function fieldsBelow(node: ObjectNode, mustBeThere: boolean): FormField[] {
	return Object.values(node.properties).flatMap((child) => {
		if (child.kind === 'const') return [];
		const required = mustBeThere && child.required;
		return child.kind === 'properties' ? fieldsBelow(child, required) : [fieldOf(child, required)];
	});
}

/** The required ones first, otherwise in the schema's order. */
export function fieldsOf(tree: ObjectNode): FormField[] {
	const fields = fieldsBelow(tree, true);
	const sorted = [...fields.filter(({ required }) => required), ...fields.filter(({ required }) => !required)];
	if (tree.additionalId === undefined) return sorted;
	const additional: FormField = {
		id: tree.additionalId,
		displayName: ADDITIONAL_LABEL,
		type: 'object',
		required: false,
		description: 'Whatever else the model takes, e.g. {"style": "oil"}',
	};
	return [...sorted, additional];
}
