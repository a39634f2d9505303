import type { FieldType, INodePropertyOptions, ResourceMapperField } from 'n8n-workflow';

import { type App, type AppInput, type ApiGraph, exactText, type GraphInput, type MissingFromApp } from '../../../client';
import { visibleName } from '../messages/words';
import { isExpression } from '../parameters';

/** What is kept with a field beside what n8n knows: n8n hands it back as it is. */
export interface AppField extends ResourceMapperField {
	/** The author's words alone. */
	words?: string;
	/** Of which workflow the field is. */
	of?: string;
	/** What n8n fills in; n8n 1.121 does not know it yet. */
	defaultValue?: string | number | boolean | null;
}

/** The form as n8n keeps it. */
export interface AppForm {
	value?: Record<string, unknown> | null;
	schema?: AppField[];
}

/** The definitions of some loaders offer thousands of files; n8n would keep all of them in the node. */
const MOST_OPTIONS = 300;
const LARGEST_BOUND = 1_000_000_000;
const LONGEST_SHOWN = 60;

const plain = (value: unknown): string | number | boolean =>
	typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
		? value
		: value === null || value === undefined
			? ''
			: exactText(value);

/** n8n runs every text of a node's settings that begins with "=", the names of fields too; a workflow may be anybody's. */
const inert = (text: string): string => (text.startsWith('=') ? ` ${text}` : text);

/** A label as its author wrote it may hold anything. */
const inertLabel = (label: string): string => inert(visibleName(label));

/** The class is part of it: in another workflow the same id may be another node's. */
export const fieldId = ({ id, input }: AppInput, graph: ApiGraph): string => inert(`${id} ${graph[input.nodeId]?.class_type ?? ''}`);

const choicesOf = ({ kind, limits }: GraphInput): Array<string | number | boolean> | undefined =>
	kind === 'choice' && (limits?.choices?.length ?? 0) <= MOST_OPTIONS ? limits?.choices : undefined;

function fieldType(input: GraphInput): FieldType {
	if (input.role === 'file' || input.role === 'seed') return 'string';
	if (input.kind === 'boolean') return 'boolean';
	if (choicesOf(input) !== undefined) return 'options';
	const isPlainNumber = (input.kind === 'integer' || input.kind === 'number') && typeof input.value === 'number';
	return isPlainNumber ? 'number' : 'string';
}

/** As it fills the field; by it is told whether the field was changed. */
function savedValue(input: GraphInput): string | number | boolean {
	const type = fieldType(input);
	if (type === 'boolean') return input.value === true;
	return type === 'string' ? String(plain(input.value)) : plain(input.value);
}

const within = (bound: number | string | undefined): number | string | undefined =>
	bound !== undefined && Math.abs(Number(bound)) > LARGEST_BOUND ? undefined : bound;

/** What a field takes, as far as its look does not say it. Short: n8n shows some 25 letters of a label. */
function takes(input: GraphInput): string | undefined {
	const { kind, role, limits = {} } = input;
	if (role === 'file') return 'field, URL or file';
	if (role === 'seed') return undefined;
	if (kind === 'json') return 'JSON';
	if (kind === 'choice') return choicesOf(input) === undefined ? `one of ${limits.choices?.length}` : undefined;
	if (kind !== 'integer' && kind !== 'number') return undefined;
	const [min, max] = [within(limits.min), within(limits.max)];
	if (min !== undefined && max !== undefined) return `${min} to ${max}`;
	return min !== undefined ? `at least ${min}` : max !== undefined ? `at most ${max}` : undefined;
}

const shown = (value: unknown): string => {
	const text = String(value).replace(/\s+/g, ' ').trim();
	return text === '' ? 'empty' : `"${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN).trimEnd()}…` : text}"`;
};

/** To n8n, wherever it stands in a field. */
export const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === '';

/**
 * Whether a field stands as it was filled. Somebody may have meant to keep just that value for good: this cannot be told
 * from having left it alone; an expression can.
 */
export const isLeftAsSaved = (value: unknown, { defaultValue }: AppField): boolean =>
	isEmpty(value) || (!isExpression(value) && value === (defaultValue ?? undefined));

function optionsOf(input: GraphInput): INodePropertyOptions[] | undefined {
	const choices = choicesOf(input);
	if (choices === undefined) return undefined;
	const saved = plain(input.value);
	const all = choices.includes(saved) || saved === '' ? choices : [saved, ...choices];
	return all
		.filter((value) => !isExpression(value))
		.map((value) => ({
			name: choices.includes(value) ? String(value) : `${String(value)} (saved, but not offered by this ComfyUI)`,
			value,
		}));
}

function labelOf({ label, description, input }: AppInput): string {
	const taken = takes(input);
	return `${label}${taken === undefined ? '' : ` (${taken})`}${description === undefined ? '' : `: ${description}`}`;
}

const FIELD = { required: false, defaultMatch: false, canBeUsedToMatch: false, display: true } as const;

/** A field that was left as it was filled remembers with what; what is saved by now is told beside it, and sent. */
function fieldOf(one: AppInput, id: string, of: string, form: AppForm): AppField {
	const saved = savedValue(one.input);
	const before = form.schema?.find((field) => field.id === id && field.of === of);
	const value = form.value?.[id];
	const filledWith = before?.defaultValue ?? undefined;
	// What cannot be filled in is told beside the field.
	const isUnfit = isExpression(saved);
	const isOutdated = before !== undefined && !isEmpty(value) && isLeftAsSaved(value, before) && filledWith !== saved;
	const options = optionsOf(one.input);
	return {
		...FIELD,
		id,
		displayName: inertLabel(isOutdated || isUnfit ? `${one.label}, now ${shown(saved)}` : labelOf(one)),
		type: fieldType(one.input),
		...(options !== undefined && {
			options:
				isOutdated && !options.some((option) => option.value === filledWith)
					? [...options, { name: String(filledWith), value: filledWith as string }]
					: options,
		}),
		...(isOutdated ? { defaultValue: filledWith } : isUnfit ? {} : { defaultValue: saved }),
		words: inertLabel(one.label),
		of,
	};
}

const WHY: Record<MissingFromApp['why'], string> = {
	gone: 'not in the workflow any more',
	inactive: 'its node is muted or bypassed',
	linked: 'takes its value from another node',
	not_sent: 'works in ComfyUI’s own pages only',
};

export const missingWords = ({ label, why }: MissingFromApp): string => `${label} (${WHY[why]})`;

/** Nothing can be entered: it says that the author meant to show something. */
const missingField = (missing: MissingFromApp, index: number, of: string): AppField => ({
	...FIELD,
	id: `missing ${index}`,
	displayName: inertLabel(missingWords(missing)),
	type: 'string',
	readOnly: true,
	of,
});

/** What somebody entered for an input that the app has no more stays, and can be seen and moved. */
function keptField(field: AppField): AppField {
	const words = field.words ?? field.displayName;
	return {
		...FIELD,
		id: field.id,
		displayName: `${words} (not in the app any more: remove this field)`,
		type: 'string',
		words,
		...(field.defaultValue !== undefined && { defaultValue: field.defaultValue }),
		...(field.of !== undefined && { of: field.of }),
	};
}

/** The author's form, as n8n draws it. */
export function fieldsOf(app: App, graph: ApiGraph, of: string, form: AppForm = {}): AppField[] {
	const fields = app.inputs.map((one) => fieldOf(one, fieldId(one, graph), of, form));
	const ids = new Set(fields.map(({ id }) => id));
	const kept = (form.schema ?? []).filter(
		(field) => field.of === of && field.readOnly !== true && !ids.has(field.id) && !isLeftAsSaved(form.value?.[field.id], field),
	);
	const missing = app.missing.filter(({ is }) => is === 'input').map((one, index) => missingField(one, index, of));
	return [...fields, ...missing, ...kept.map(keptField)];
}
