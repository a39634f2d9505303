import { exactText } from '../../json/exactJson';
import type { ChoiceValue, FormField, InputNode, Leaf, ObjectNode } from './types';
import { boundsText, lengthText } from './words';

export const ADDITIONAL_LABEL = 'Additional Fields (JSON)';

/** `seed`, `noise_seed`, `randomSeed`. */
const NAMED_LIKE_A_SEED = /((^|[._-])seed(_num|_value)?|[a-z0-9]Seed)$/;

export type SeedLeaf = Leaf & { kind: 'number' };

export const isSeed = (node: InputNode): node is SeedLeaf => node.kind === 'number' && node.whole && NAMED_LIKE_A_SEED.test(node.id);

const YES_OR_NO = [
	{ name: 'True', value: true },
	{ name: 'False', value: false },
];

/** A switch cannot be left alone: where leaving it out differs from off, there must be a third way. */
function shapeOf(leaf: Leaf, canBeLeftOut: boolean): Pick<FormField, 'type' | 'options'> {
	switch (leaf.kind) {
		case 'text':
			return { type: 'string' };
		case 'number':
			return { type: 'number' };
		case 'boolean':
			return canBeLeftOut ? { type: 'options', options: YES_OR_NO } : { type: 'boolean' };
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

const leafRange = (leaf: Leaf): string => (leaf.kind === 'number' ? boundsText(leaf.bounds) : leaf.kind === 'text' ? lengthText(leaf) : '');

/** A list may take several. */
const takesFile = (leaf: Leaf): boolean =>
	leaf.kind === 'text' || leaf.kind === 'list' || (leaf.kind === 'mixed' && (leaf.takes.size === 0 || leaf.takes.has('string')));

function defaultOf(value: unknown): ChoiceValue | undefined {
	if (value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
	return exactText(value);
}

const sentences = (lines: Array<string | undefined>): string => lines.filter(Boolean).join(' ');

/** @param mustBeThere whether the object around it is sent in any case: a preset value must not bring it about. */
function fieldOf(leaf: Leaf, mustBeThere: boolean): FormField {
	const range = leafRange(leaf);
	const usual = defaultOf(leaf.default);
	const mayBeDrawn = isSeed(leaf);
	const required = mustBeThere && leaf.required && !(mayBeDrawn && usual !== undefined);
	// A seed that stands there would count as the one that is wanted.
	const preset = mustBeThere && !mayBeDrawn ? usual : undefined;
	return {
		id: leaf.id,
		displayName: leaf.label,
		...shapeOf(leaf, !required && preset === undefined),
		required,
		...(preset === undefined ? {} : { default: preset }),
		description: sentences([
			leaf.description,
			range && `Range: ${range}.`,
			preset === undefined && usual !== undefined ? `Default: ${usual}.` : undefined,
		]),
		...(range === '' ? {} : { range }),
		...(takesFile(leaf) && { takesFile: true as const }),
		...(mayBeDrawn && { isSeed: true as const }),
	};
}

function fieldsBelow(node: ObjectNode, mustBeThere: boolean): FormField[] {
	return Object.values(node.properties).flatMap((child) => {
		if (child.kind === 'const') return [];
		return child.kind === 'properties' ? fieldsBelow(child, mustBeThere && child.required) : [fieldOf(child, mustBeThere)];
	});
}

/** The required ones first, otherwise in the schema's order. */
export function formFields(tree: ObjectNode): FormField[] {
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
