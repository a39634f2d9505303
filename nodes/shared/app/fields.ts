import type { FieldType, INodePropertyOptions, ResourceMapperField } from 'n8n-workflow';

import { type App, type AppInput, type ApiGraph, exactText, type GraphInput, type MissingFromApp } from '../../../client';
import { describeRange } from '../inputs/chosenInput';
import { cut, visibleName } from '../messages/words';
import { isExpression } from '../parameters';

/** A field of the form, with facts that n8n stores with it and returns unchanged. */
export interface AppField extends ResourceMapperField {
	/** The author's label, without what we add to it. */
	words?: string;
	/** The workflow that the field belongs to. */
	of?: string;
	/** The value that n8n fills in. The types of n8n 1.121 do not know it. */
	defaultValue?: string | number | boolean | null;
}

/** The form as n8n stores it. */
export interface AppForm {
	value?: Record<string, unknown> | null;
	schema?: AppField[];
}

/** Returns the form, or an empty one if the parameter holds none. */
export const toAppForm = (value: unknown): AppForm => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {});

/** Some loaders offer thousands of files, and n8n would store all of them in the node. */
const MOST_OPTIONS = 300;
const LARGEST_BOUND = 1_000_000_000;
const LONGEST_SHOWN = 60;

function toPlainValue(value: unknown): string | number | boolean {
	if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
	return value === null || value === undefined ? '' : exactText(value);
}

/** n8n evaluates each text of a node that begins with "=", even a field's name, and the workflow is not trusted. */
const makeInert = (text: string): string => (text.startsWith('=') ? ` ${text}` : text);

const makeInertLabel = (label: string): string => makeInert(visibleName(label));

/** Returns the id of a field. The class is part of it because another workflow may use the same node id for another node. */
export const fieldId = ({ id, input }: AppInput, graph: ApiGraph): string => makeInert(`${id} ${graph[input.nodeId]?.class_type ?? ''}`);

const choicesOf = ({ kind, limits }: GraphInput): Array<string | number | boolean> | undefined =>
	kind === 'choice' && (limits?.choices?.length ?? 0) <= MOST_OPTIONS ? limits?.choices : undefined;

function fieldType(input: GraphInput): FieldType {
	if (input.role === 'file' || input.role === 'seed') return 'string';
	if (input.kind === 'boolean') return 'boolean';
	if (choicesOf(input) !== undefined) return 'options';
	const isPlainNumber = (input.kind === 'integer' || input.kind === 'number') && typeof input.value === 'number';
	return isPlainNumber ? 'number' : 'string';
}

/** Returns the value that fills the field. A field with another value was changed by the user. */
function savedValue(input: GraphInput): string | number | boolean {
	const type = fieldType(input);
	if (type === 'boolean') return input.value === true;
	return type === 'string' ? String(toPlainValue(input.value)) : toPlainValue(input.value);
}

const boundToShow = (bound: number | string | undefined): number | string | undefined =>
	bound !== undefined && Math.abs(Number(bound)) > LARGEST_BOUND ? undefined : bound;

/** Returns what a field takes, if its type does not show it. It is short because n8n shows about 25 letters of a label. */
function inputHint(input: GraphInput): string | undefined {
	const { kind, role, limits = {} } = input;
	if (role === 'file') return 'field, URL or file';
	if (role === 'seed') return undefined;
	if (kind === 'json') return 'JSON';
	if (kind === 'choice') return choicesOf(input) === undefined ? `one of ${limits.choices?.length}` : undefined;
	if (kind !== 'integer' && kind !== 'number') return undefined;
	return describeRange(boundToShow(limits.min), boundToShow(limits.max));
}

const quoteShort = (value: unknown): string => {
	const text = String(value).replace(/\s+/g, ' ').trim();
	return text === '' ? 'empty' : `"${cut(text, LONGEST_SHOWN)}"`;
};

/** Whether n8n treats the value of a field as empty. */
export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Whether a field still has the value that filled it. A user who wants to keep exactly that value must enter it as an
 * expression.
 */
export const isLeftAsSaved = (value: unknown, { defaultValue }: AppField): boolean =>
	isEmpty(value) || (!isExpression(value) && value === (defaultValue ?? undefined));

function optionsOf(input: GraphInput): INodePropertyOptions[] | undefined {
	const choices = choicesOf(input);
	if (choices === undefined) return undefined;
	const saved = toPlainValue(input.value);
	const all = choices.includes(saved) || saved === '' ? choices : [saved, ...choices];
	return all
		.filter((value) => !isExpression(value))
		.map((value) => ({
			name: choices.includes(value) ? String(value) : `${String(value)} (saved, but not available in this ComfyUI)`,
			value,
		}));
}

function labelOf({ label, description, input }: AppInput): string {
	const hint = inputHint(input);
	return `${label}${hint === undefined ? '' : ` (${hint})`}${description === undefined ? '' : `: ${description}`}`;
}

const FIELD = { required: false, defaultMatch: false, canBeUsedToMatch: false, display: true } as const;

/** A field that still has an outdated saved value keeps it, and its label shows the value that is saved now and will be sent. */
function toFormField(appInput: AppInput, id: string, of: string, form: AppForm): AppField {
	const { input, label } = appInput;
	const saved = savedValue(input);
	const before = form.schema?.find((field) => field.id === id && field.of === of);
	const value = form.value?.[id];
	const filledWith = before?.defaultValue ?? undefined;
	// n8n would evaluate this value, so the label shows it instead.
	const isUnfit = isExpression(saved);
	const isOutdated = before !== undefined && !isEmpty(value) && isLeftAsSaved(value, before) && filledWith !== saved;
	const options = optionsOf(input);
	const isOptionGone = isOutdated && options?.some((option) => option.value === filledWith) === false;
	return {
		...FIELD,
		id,
		displayName: makeInertLabel(isOutdated || isUnfit ? `${label}, now ${quoteShort(saved)}` : labelOf(appInput)),
		type: fieldType(input),
		...(options !== undefined && {
			options: isOptionGone ? [...options, { name: String(filledWith), value: filledWith as string }] : options,
		}),
		...((isOutdated || !isUnfit) && { defaultValue: isOutdated ? filledWith : saved }),
		words: makeInertLabel(label),
		of,
	};
}

const MISSING_REASONS: Record<MissingFromApp['why'], string> = {
	gone: 'no longer in the workflow',
	inactive: 'its node is muted or bypassed',
	linked: 'receives its value from another node',
	not_sent: 'works only in the ComfyUI editor',
};

export const describeMissing = ({ label, why }: MissingFromApp): string => `${label} (${MISSING_REASONS[why]})`;

/** Returns a read-only field for an input that the author selected and the workflow no longer has. */
const toMissingField = (missing: MissingFromApp, index: number, of: string): AppField => ({
	...FIELD,
	id: `missing ${index}`,
	displayName: makeInertLabel(describeMissing(missing)),
	type: 'string',
	readOnly: true,
	of,
});

/** Returns a field for a value that the user entered for an input that the app no longer has, so that the value can be moved. */
function toRemovedField(field: AppField): AppField {
	const words = field.words ?? field.displayName;
	return {
		...FIELD,
		id: field.id,
		displayName: `${words} (no longer in the app: remove this field)`,
		type: 'string',
		words,
		...(field.defaultValue !== undefined && { defaultValue: field.defaultValue }),
		...(field.of !== undefined && { of: field.of }),
	};
}

/** Returns the fields of the author's form. @param form the form as it is stored now. */
export function formFieldsOf(app: App, graph: ApiGraph, of: string, form: AppForm = {}): AppField[] {
	const fields = app.inputs.map((appInput) => toFormField(appInput, fieldId(appInput, graph), of, form));
	const ids = new Set(fields.map(({ id }) => id));
	const removedFields = (form.schema ?? []).filter(
		(field) => field.of === of && field.readOnly !== true && !ids.has(field.id) && !isLeftAsSaved(form.value?.[field.id], field),
	);
	const missing = app.missing.filter(({ is }) => is === 'input').map((missingInput, index) => toMissingField(missingInput, index, of));
	return [...fields, ...missing, ...removedFields.map(toRemovedField)];
}
