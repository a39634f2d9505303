import { isRecord, type JsonRecord } from '../../decode';
import { lookUp } from './schemaDocument';

/** A schema without the keywords that only refer to others or combine them. */
export interface Settled {
	/** Without `$ref`, `allOf`, `anyOf`, `oneOf`, and with one `type` at most. */
	schema: JsonRecord;
	nullable: boolean;
	/** Of `anyOf`, `oneOf` or several types; more than one where there are any. */
	alternatives: Settled[];
	/** The `$ref`s that led here, to tell a schema that holds itself. */
	trail: ReadonlySet<string>;
	/** It is a part of itself, so that it has no end. */
	recursive: boolean;
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

function mergedProperties(one: JsonRecord, other: JsonRecord): JsonRecord {
	const merged: JsonRecord = { ...one };
	for (const [name, schema] of Object.entries(other)) {
		merged[name] = Object.hasOwn(one, name) ? { allOf: [one[name], schema] } : schema;
	}
	return merged;
}

function mergedSchemas(one: JsonRecord, other: JsonRecord): JsonRecord {
	const merged: JsonRecord = { ...one, ...other };
	if (isRecord(one.properties) && isRecord(other.properties)) merged.properties = mergedProperties(one.properties, other.properties);
	const required = [...new Set([...strings(one.required), ...strings(other.required)])];
	if (required.length > 0) merged.required = required;
	return merged;
}

/** What both say together; where they differ, the second is the nearer one. */
const merge = (one: Settled, other: Settled): Settled => ({
	schema: mergedSchemas(one.schema, other.schema),
	nullable: one.nullable || other.nullable,
	alternatives: other.alternatives.length > 0 ? other.alternatives : one.alternatives,
	trail: new Set([...one.trail, ...other.trail]),
	recursive: one.recursive || other.recursive,
});

const bare = (schema: JsonRecord, trail: ReadonlySet<string>, more: Partial<Settled> = {}): Settled => ({
	schema,
	nullable: false,
	alternatives: [],
	trail,
	recursive: false,
	...more,
});

const isNull = ({ schema }: Settled): boolean => schema.type === 'null' || schema.const === null;

/** `anyOf: [{required: ["a"]}, …]` says which fields belong together, not what they are. */
const saysWhatItIs = ({ schema, alternatives, recursive }: Settled): boolean =>
	recursive || alternatives.length > 0 || ['type', 'properties', 'enum', 'const', 'items'].some((keyword) => schema[keyword] !== undefined);

function chosen(from: Settled[], trail: ReadonlySet<string>): Settled {
	const nullable = from.some((one) => isNull(one) || one.nullable);
	const others = from.filter((one) => !isNull(one) && saysWhatItIs(one));
	const [only] = others;
	if (only !== undefined && others.length === 1) return { ...only, nullable };
	return bare({}, trail, { nullable, alternatives: others });
}

/** Several types are as many alternatives. */
function ownPart(schema: JsonRecord, trail: ReadonlySet<string>): Settled {
	const { type, nullable, ...others } = schema;
	const types = Array.isArray(type) ? strings(type).filter((one) => one !== 'null') : [];
	const [only] = types;
	const rest = !Array.isArray(type)
		? type === undefined
			? others
			: { ...others, type }
		: types.length === 1
			? { ...others, type: only }
			: others;
	return bare(rest, trail, {
		nullable: nullable === true || (Array.isArray(type) && type.includes('null')),
		alternatives: types.length > 1 ? types.map((one) => bare({ type: one }, trail)) : [],
	});
}

/** Resolves `$ref`, `allOf`, `anyOf`, `oneOf` and lists of types. A schema of another kind than an object allows anything. */
export function settle(raw: unknown, document: JsonRecord, trail: ReadonlySet<string> = new Set()): Settled {
	if (!isRecord(raw)) return bare({}, trail);
	const { $ref, allOf, anyOf, oneOf, ...own } = raw;
	const parts: Settled[] = [];
	if (typeof $ref === 'string') {
		parts.push(
			trail.has($ref) ? bare({}, trail, { recursive: true }) : settle(lookUp(document, $ref), document, new Set([...trail, $ref])),
		);
	}
	if (Array.isArray(allOf)) parts.push(...allOf.map((one) => settle(one, document, trail)));
	for (const union of [anyOf, oneOf]) {
		if (Array.isArray(union))
			parts.push(
				chosen(
					union.map((one) => settle(one, document, trail)),
					trail,
				),
			);
	}
	return [...parts, ownPart(own, trail)].reduce(merge);
}
