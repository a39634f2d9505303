import type { JsonRecord } from '../../json/decode';
import { exactText } from '../../json/exactJson';
import type { ChoiceValue, FieldGroup, FormField, FormNode, InputField, NumberRange } from './types';

export const ADDITIONAL_LABEL = 'Additional Fields (JSON)';

/** Matches `seed`, `noise_seed` and `randomSeed`. */
const SEED_NAME = /((^|[._-])seed(_num|_value)?|[a-z0-9]Seed)$/;

export type SeedInputField = InputField & { kind: 'number' };

export const isSeed = (group: FormNode): group is SeedInputField => group.kind === 'number' && group.whole && SEED_NAME.test(group.id);

const BOOLEAN_OPTIONS = [
	{ name: 'True', value: true },
	{ name: 'False', value: false },
];

/** A switch is always on or off. If the property may be left out, the field is a list with a third choice. */
function toFieldType(field: InputField, canBeLeftOut: boolean): Pick<FormField, 'type' | 'options'> {
	switch (field.kind) {
		case 'text':
			return { type: 'string' };
		case 'number':
			return { type: 'number' };
		case 'boolean':
			return canBeLeftOut ? { type: 'options', options: BOOLEAN_OPTIONS } : { type: 'boolean' };
		case 'choice':
			return { type: 'options', options: field.choices };
		case 'list':
			return { type: 'array' };
		case 'record':
			return { type: 'object' };
		case 'mixed':
			return { type: field.types.size === 1 && field.types.has('object') ? 'object' : 'string' };
	}
}

function formatRange(field: InputField): string {
	if (field.kind === 'number') return formatNumberRange(field.bounds);
	return field.kind === 'text' ? formatLength(field) : '';
}

/** Whether the field accepts a file. A list may accept several. */
const acceptsFile = (field: InputField): boolean =>
	field.kind === 'text' || field.kind === 'list' || (field.kind === 'mixed' && (field.types.size === 0 || field.types.has('string')));

function toDefault(value: unknown): ChoiceValue | undefined {
	if (value === undefined || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
	return exactText(value);
}

const joinSentences = (lines: Array<string | undefined>): string => lines.filter(Boolean).join(' ');

/**
 * @param isAlwaysSent whether the object around it is always sent. If not, a default value must not add it.
 */
function toFormField(field: InputField, isAlwaysSent: boolean): FormField {
	const range = formatRange(field);
	const defaultValue = toDefault(field.default);
	const isSeedField = isSeed(field);
	const required = isAlwaysSent && field.required && !(isSeedField && defaultValue !== undefined);
	// A seed has no default in the form, because the node would take it as the user's choice.
	const preset = isAlwaysSent && !isSeedField ? defaultValue : undefined;
	return {
		id: field.id,
		displayName: field.label,
		...toFieldType(field, !required && preset === undefined),
		required,
		...(preset === undefined ? {} : { default: preset }),
		description: joinSentences([
			field.description,
			range && `Range: ${range}.`,
			preset === undefined && defaultValue !== undefined ? `Default: ${defaultValue}.` : undefined,
		]),
		...(range === '' ? {} : { range }),
		...(acceptsFile(field) && { takesFile: true as const }),
		...(isSeedField && { isSeed: true as const }),
	};
}

function collectFields(group: FieldGroup, isAlwaysSent: boolean): FormField[] {
	return Object.values(group.properties).flatMap((child) => {
		if (child.kind === 'const') return [];
		return child.kind === 'properties' ? collectFields(child, isAlwaysSent && child.required) : [toFormField(child, isAlwaysSent)];
	});
}

/** Returns the form fields: the required ones first, otherwise in the order of the schema. */
export function listFormFields(form: FieldGroup): FormField[] {
	const fields = collectFields(form, true);
	const sorted = [...fields.filter(({ required }) => required), ...fields.filter(({ required }) => !required)];
	if (form.additionalId === undefined) return sorted;
	const additional: FormField = {
		id: form.additionalId,
		displayName: ADDITIONAL_LABEL,
		type: 'object',
		required: false,
		description: 'Other inputs of the model as JSON, for example {"style": "oil"}',
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
export const toFieldLabel = (name: string, schema: JsonRecord): string => trimText(schema.title) || formatName(name) || name;

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
