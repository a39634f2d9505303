import type { JsonRecord } from '../../decode';
import { exactText } from '../../json/exactJson';
import type { NumberRange, ChoiceValue, FormField, FormNode, InputField, FieldGroup } from './types';

export const ADDITIONAL_LABEL = 'Additional Fields (JSON)';

/** Matches `seed`, `noise_seed` and `randomSeed`. */
const NAMED_LIKE_A_SEED = /((^|[._-])seed(_num|_value)?|[a-z0-9]Seed)$/;

export type SeedInputField = InputField & { kind: 'number' };

export const isSeed = (node: FormNode): node is SeedInputField => node.kind === 'number' && node.whole && NAMED_LIKE_A_SEED.test(node.id);

const BOOLEAN_OPTIONS = [
	{ name: 'True', value: true },
	{ name: 'False', value: false },
];

/** A switch is always on or off. If the property may be left out, the field is a list with a third choice. */
function toFieldType(leaf: InputField, canBeLeftOut: boolean): Pick<FormField, 'type' | 'options'> {
	switch (leaf.kind) {
		case 'text':
			return { type: 'string' };
		case 'number':
			return { type: 'number' };
		case 'boolean':
			return canBeLeftOut ? { type: 'options', options: BOOLEAN_OPTIONS } : { type: 'boolean' };
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

const formatRange = (leaf: InputField): string =>
	leaf.kind === 'number' ? formatNumberRange(leaf.bounds) : leaf.kind === 'text' ? formatLength(leaf) : '';

/** Whether the field accepts a file. A list may accept several. */
const acceptsFile = (leaf: InputField): boolean =>
	leaf.kind === 'text' || leaf.kind === 'list' || (leaf.kind === 'mixed' && (leaf.takes.size === 0 || leaf.takes.has('string')));

function toDefault(value: unknown): ChoiceValue | undefined {
	if (value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
	return exactText(value);
}

const joinSentences = (lines: Array<string | undefined>): string => lines.filter(Boolean).join(' ');

/**
 * @param isAlwaysSent whether the object around it is always sent. If not, a default value must not cause it to be
 *   sent.
 */
function toFormField(leaf: InputField, mustBeThere: boolean): FormField {
	const range = formatRange(leaf);
	const usual = toDefault(leaf.default);
	const mayBeDrawn = isSeed(leaf);
	const required = mustBeThere && leaf.required && !(mayBeDrawn && usual !== undefined);
	// A seed has no default in the form, because the node would take it as the user's choice.
	const preset = mustBeThere && !mayBeDrawn ? usual : undefined;
	return {
		id: leaf.id,
		displayName: leaf.label,
		...toFieldType(leaf, !required && preset === undefined),
		required,
		...(preset === undefined ? {} : { default: preset }),
		description: joinSentences([
			leaf.description,
			range && `Range: ${range}.`,
			preset === undefined && usual !== undefined ? `Default: ${usual}.` : undefined,
		]),
		...(range === '' ? {} : { range }),
		...(acceptsFile(leaf) && { takesFile: true as const }),
		...(mayBeDrawn && { isSeed: true as const }),
	};
}

function collectFields(node: FieldGroup, mustBeThere: boolean): FormField[] {
	return Object.values(node.properties).flatMap((child) => {
		if (child.kind === 'const') return [];
		return child.kind === 'properties' ? collectFields(child, mustBeThere && child.required) : [toFormField(child, mustBeThere)];
	});
}

/** Returns the form fields: the required ones first, otherwise in the order of the schema. */
export function listFormFields(tree: FieldGroup): FormField[] {
	const fields = collectFields(tree, true);
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

const trimText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Formats a property name: `num_images` becomes `Num Images`. */
const formatName = (name: string): string =>
	name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.split(/[\s_-]+/)
		.filter((word) => word !== '')
		.map(capitalize)
		.join(' ');

/** Returns the label of a field: its title, or else its name. */
export const toLabel = (name: string, schema: JsonRecord): string => trimText(schema.title) || formatName(name) || name;

export const toDescription = (schema: JsonRecord): string => trimText(schema.description);

/** Formats a range: `1 to 50`, `at least 1`, `above 0 and below 1`. Empty if there is none. */
export function formatNumberRange({ minimum, maximum, aboveMinimum, belowMaximum }: NumberRange): string {
	if (minimum !== undefined && maximum !== undefined && !aboveMinimum && !belowMaximum) return `${String(minimum)} to ${String(maximum)}`;
	const lower = minimum === undefined ? '' : `${aboveMinimum ? 'above' : 'at least'} ${String(minimum)}`;
	const upper = maximum === undefined ? '' : `${belowMaximum ? 'below' : 'at most'} ${String(maximum)}`;
	return [lower, upper].filter(Boolean).join(' and ');
}

/** Formats the allowed length of a text. */
export function formatLength({ shortest, longest }: { shortest?: number; longest?: number }): string {
	const range = formatNumberRange({ minimum: shortest, maximum: longest, aboveMinimum: false, belowMaximum: false });
	return range === '' ? '' : `${range} characters`;
}
