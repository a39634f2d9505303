import { isRecord, type JsonRecord, recordOf } from '../../json/decode';
import { type ExactNumber, isExactNumber } from '../../json/numbers';
import { toDescription, toFieldLabel } from './formFields';
import { type ResolvedSchema, resolveSchema } from './resolveSchema';
import type { Choice, ChoiceValue, FieldGroup, FieldKind, FormNode, JsonType, NumberRange } from './types';

/** Objects up to this depth have a field for each property. Deeper ones are entered as JSON. */
const MAX_DEPTH = 2;

const ADDITIONAL_ID = 'additional_fields_json';

interface FieldLocation {
	document: JsonRecord;
	/** The property names that lead to it. */
	path: string[];
	/** The labels that lead to it. */
	labels: string[];
	name: string;
	required: boolean;
}

const allowsMore = ({ additionalProperties }: JsonRecord): boolean => additionalProperties === true || isRecord(additionalProperties);

/** Whether each property can have its own field. */
function canUnfold({ schema, alternatives, recursive }: ResolvedSchema, depth: number): boolean {
	if (recursive || alternatives.length > 0 || findType(schema) !== 'object' || depth > MAX_DEPTH || allowsMore(schema)) return false;
	const names = Object.keys(recordOf(schema.properties));
	return names.length > 0 && !names.some((name) => name.includes('.'));
}

function toFormNodes(
	{ schema, trail }: ResolvedSchema,
	{ document, path, labels }: Omit<FieldLocation, 'name' | 'required'>,
): Record<string, FormNode> {
	const required = Array.isArray(schema.required) ? schema.required : [];
	const entries = Object.entries(recordOf(schema.properties)).flatMap(([name, raw]): Array<[string, FormNode]> => {
		const resolved = resolveSchema(raw, document, trail);
		if (resolved.schema.readOnly === true) return [];
		return [[name, toFormNode(resolved, { document, path: [...path, name], labels, name, required: required.includes(name) })]];
	});
	return Object.fromEntries(entries);
}

function toFormNode(resolved: ResolvedSchema, location: FieldLocation): FormNode {
	const { schema, nullable } = resolved;
	if (schema.const !== undefined && !nullable) return { kind: 'const', value: schema.const };
	const labels = [...location.labels, toFieldLabel(location.name, schema)];
	const facts = {
		label: labels.join(' > '),
		description: toDescription(schema),
		required: location.required,
		nullable: nullable || (Array.isArray(schema.enum) && schema.enum.includes(null)),
		default: schema.default ?? undefined,
	};
	if (canUnfold(resolved, location.path.length)) {
		return { ...facts, kind: 'properties', properties: toFormNodes(resolved, { ...location, labels }) };
	}
	return { ...facts, id: location.path.join('.'), ...findFieldKind(resolved) };
}

/**
 * Returns the fields of a request body, grouped as in the body.
 * @param document the target of the schema's `$ref`s.
 * @returns undefined if the schema names no fields, so that only JSON can be entered.
 */
export function buildInputForm(schema: JsonRecord, document: JsonRecord): FieldGroup | undefined {
	const resolved = resolveSchema(schema, document);
	const properties = toFormNodes(resolved, { document, path: [], labels: [] });
	if (Object.keys(properties).length === 0) return undefined;
	return {
		kind: 'properties',
		label: '',
		description: toDescription(resolved.schema),
		required: true,
		nullable: false,
		default: undefined,
		properties,
		...(allowsMore(resolved.schema) ? { additionalId: ADDITIONAL_ID } : {}),
	};
}

const numberOrNone = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** The maximum of a seed may exceed a double. */
const boundOrNone = (value: unknown): number | ExactNumber | undefined => (isExactNumber(value) ? value : numberOrNone(value));

/** Older schemas write `exclusiveMinimum: true` in addition to `minimum`. Newer ones write the bound itself. */
function toNumberRange(schema: JsonRecord): NumberRange {
	const above = boundOrNone(schema.exclusiveMinimum);
	const below = boundOrNone(schema.exclusiveMaximum);
	return {
		minimum: above ?? boundOrNone(schema.minimum),
		maximum: below ?? boundOrNone(schema.maximum),
		aboveMinimum: above !== undefined || schema.exclusiveMinimum === true,
		belowMaximum: below !== undefined || schema.exclusiveMaximum === true,
	};
}

const isChoiceValue = (value: unknown): value is ChoiceValue => ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Returns the list of allowed values; undefined if other values are allowed, or the list contains more than plain
 * values.
 */
function findChoices({ schema, alternatives }: ResolvedSchema): Choice[] | undefined {
	if (Array.isArray(schema.enum)) {
		const values = schema.enum.filter((one) => one !== null);
		return values.length > 0 && values.every(isChoiceValue) ? values.map((value) => ({ name: String(value), value })) : undefined;
	}
	if (isChoiceValue(schema.const)) {
		return [{ name: typeof schema.title === 'string' ? schema.title : String(schema.const), value: schema.const }];
	}
	if (alternatives.length === 0) return undefined;
	const lists = alternatives.map(findChoices);
	return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

const JSON_TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'array', 'object'] satisfies JsonType[];

/** Returns the type, which may follow from other keywords. */
function findType({ type, properties, items, enum: values }: JsonRecord): JsonType | undefined {
	if (typeof type === 'string' && JSON_TYPES.includes(type)) return type as JsonType;
	if (properties !== undefined) return 'object';
	if (items !== undefined) return 'array';
	return Array.isArray(values) && values.every((one) => typeof one === 'string') ? 'string' : undefined;
}

/** Returns all types that a value may have; empty if the schema does not say. */
function findTypes({ schema, alternatives, recursive }: ResolvedSchema): JsonType[] {
	const own = findType(schema);
	if (own !== undefined) return [own];
	if (recursive) return [];
	const types = alternatives.map(findTypes);
	return types.some((list) => list.length === 0) ? [] : types.flat();
}

function toFieldKind(type: JsonType, schema: JsonRecord): FieldKind {
	switch (type) {
		case 'string':
			return { kind: 'text', shortest: numberOrNone(schema.minLength), longest: numberOrNone(schema.maxLength) };
		case 'integer':
		case 'number':
			return { kind: 'number', whole: type === 'integer', bounds: toNumberRange(schema) };
		case 'boolean':
			return { kind: 'boolean' };
		case 'array':
			return { kind: 'list' };
		case 'object':
			return { kind: 'record' };
	}
}

/** Returns the values that one field accepts. */
function findFieldKind(resolved: ResolvedSchema): FieldKind {
	const choices = findChoices(resolved);
	if (choices !== undefined) return { kind: 'choice', choices };
	const types = new Set(findTypes(resolved));
	if (types.has('number')) types.delete('integer');
	const [only] = types;
	return only !== undefined && types.size === 1 ? toFieldKind(only, resolved.schema) : { kind: 'mixed', types };
}

/** Parses `messages[0].image` to `['messages', 0, 'image']`; undefined for other texts. */
export function parseInputPath(text: string): Array<string | number> | undefined {
	if (!/^[^.[\]]+(\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
	return [...text.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, name, index]) => (index === undefined ? String(name) : Number(index)));
}

function schemasAt({ schema, alternatives, trail }: ResolvedSchema, step: string | number, document: JsonRecord): ResolvedSchema[] {
	const own =
		typeof step === 'number'
			? schema.items
			: isRecord(schema.properties) && Object.hasOwn(schema.properties, step)
				? schema.properties[step]
				: schema.additionalProperties;
	const here = own === undefined || own === false ? [] : [resolveSchema(own, document, trail)];
	return [...here, ...alternatives.flatMap((one) => schemasAt(one, step, document))];
}

function acceptsText(resolved: ResolvedSchema): boolean {
	const field = findFieldKind(resolved);
	return field.kind === 'text' || (field.kind === 'mixed' && (field.types.size === 0 || field.types.has('string')));
}

const acceptsTextItems = (resolved: ResolvedSchema, document: JsonRecord): boolean => schemasAt(resolved, 0, document).some(acceptsText);

/** Whether the text is plain base64, without the start of a data URI. */
const isBareBase64 = ({ schema }: ResolvedSchema): boolean => schema.contentEncoding === 'base64' || schema.format === 'byte';

/** How a file is sent. `dataUri` and `base64`: as text. `list`: as a list of data URIs. */
export type FileEncoding = 'dataUri' | 'base64' | 'list';

/** Returns how a model accepts a file at this path of its body; undefined if it accepts no text there. */
export function findFileEncoding(schema: JsonRecord, document: JsonRecord, path: Array<string | number>): FileEncoding | undefined {
	const places = path.reduce<ResolvedSchema[]>(
		(at, step) => at.flatMap((one) => schemasAt(one, step, document)),
		[resolveSchema(schema, document)],
	);
	const texts = places.filter(acceptsText);
	if (texts.length > 0) return texts.every(isBareBase64) ? 'base64' : 'dataUri';
	return places.some((one) => acceptsTextItems(one, document)) ? 'list' : undefined;
}
