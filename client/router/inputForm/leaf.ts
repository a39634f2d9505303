import type { JsonRecord } from '../../decode';
import { type ExactNumber, isExactNumber } from '../../json/numbers';
import type { Settled } from './settle';
import type { Bounds, Choice, ChoiceValue, JsonType, LeafKind } from './types';

const numberOrNone = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

/** A largest seed may be more than a double holds. */
const boundOrNone = (value: unknown): number | ExactNumber | undefined => (isExactNumber(value) ? value : numberOrNone(value));

/** The older dialect says `exclusiveMinimum: true` beside `minimum`, the newer one gives the bound itself. */
function boundsOf(schema: JsonRecord): Bounds {
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

/** The closed list of values that a schema allows; undefined where it is open, or holds more than plain values. */
function choicesOf({ schema, alternatives }: Settled): Choice[] | undefined {
	if (Array.isArray(schema.enum)) {
		const values = schema.enum.filter((one) => one !== null);
		return values.length > 0 && values.every(isChoiceValue) ? values.map((value) => ({ name: String(value), value })) : undefined;
	}
	if (isChoiceValue(schema.const)) {
		return [{ name: typeof schema.title === 'string' ? schema.title : String(schema.const), value: schema.const }];
	}
	if (alternatives.length === 0) return undefined;
	const lists = alternatives.map(choicesOf);
	return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

const JSON_TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'array', 'object'] satisfies JsonType[];

/** Schemas may leave out a type that their other keywords tell. */
export function typeOf({ type, properties, items, enum: values }: JsonRecord): JsonType | undefined {
	if (typeof type === 'string' && JSON_TYPES.includes(type)) return type as JsonType;
	if (properties !== undefined) return 'object';
	if (items !== undefined) return 'array';
	return Array.isArray(values) && values.every((one) => typeof one === 'string') ? 'string' : undefined;
}

/** Every type that a value may have; none where that is not said. */
function typesOf({ schema, alternatives, recursive }: Settled): JsonType[] {
	const own = typeOf(schema);
	if (own !== undefined) return [own];
	if (recursive) return [];
	const types = alternatives.map(typesOf);
	return types.some((list) => list.length === 0) ? [] : types.flat();
}

function kindOfOne(type: JsonType, schema: JsonRecord): LeafKind {
	switch (type) {
		case 'string':
			return { kind: 'text', shortest: numberOrNone(schema.minLength), longest: numberOrNone(schema.maxLength) };
		case 'integer':
		case 'number':
			return { kind: 'number', whole: type === 'integer', bounds: boundsOf(schema) };
		case 'boolean':
			return { kind: 'boolean' };
		case 'array':
			return { kind: 'list' };
		case 'object':
			return { kind: 'record' };
	}
}

/** What one field takes, whatever lies below it. */
export function leafKindOf(settled: Settled): LeafKind {
	const choices = choicesOf(settled);
	if (choices !== undefined) return { kind: 'choice', choices };
	const takes = new Set(typesOf(settled));
	if (takes.has('number')) takes.delete('integer');
	const [only] = takes;
	return only !== undefined && takes.size === 1 ? kindOfOne(only, settled.schema) : { kind: 'mixed', takes };
}
