import { isRecord, type JsonRecord } from '../../json/decode';
import type { RouterInputSchema, RouterModelId } from '../types';

/** Vendors differ in the middle part of this name. */
const AUTHORED_FLAG = /^x-(.+-)?input-schema-authored$/;

/**
 * Returns the value at a reference.
 * @returns undefined if it does not exist. Only references into the document itself are followed.
 */
function findReference(document: JsonRecord, reference: string): unknown {
	if (!reference.startsWith('#')) return undefined;
	const names = reference.slice(1).replaceAll('%20', ' ').split('/').slice(1);
	return names.reduce<unknown>((place, name) => {
		const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
		if (Array.isArray(place)) return place[Number(key)];
		return isRecord(place) && Object.hasOwn(place, key) ? place[key] : undefined;
	}, document);
}

/** Returns the schema of a model's input, and whether somebody wrote it for this model. */
export function readInputSchema(document: JsonRecord, id: RouterModelId): Pick<RouterInputSchema, 'schema' | 'authored'> {
	const operation = findModelOperation(document, id);
	const body = followReference(document, operation?.requestBody);
	const mediaType = findJsonMediaType(body);
	const schema = isRecord(mediaType?.schema) ? mediaType.schema : undefined;
	const candidates = [document, document.info, operation, body, mediaType, schema, followReference(document, schema)];
	const isDenied = candidates.some((place) => findAuthoredFlag(place) === false);
	return { schema, authored: schema !== undefined && !isDenied };
}

/** Returns the operation that runs the model, and not the queued submission. */
function findModelOperation(document: JsonRecord, id: RouterModelId): JsonRecord | undefined {
	const paths = isRecord(document.paths) ? Object.entries(document.paths) : [];
	const posts = paths.flatMap(([path, item]) => (isRecord(item) && isRecord(item.post) ? [{ path, post: item.post }] : []));
	return (posts.find(({ path }) => path.endsWith(`/${id}`)) ?? posts.find(({ path }) => !path.endsWith('/requests')) ?? posts[0])?.post;
}

function findJsonMediaType(body: JsonRecord | undefined): JsonRecord | undefined {
	const content = isRecord(body?.content) ? Object.entries(body.content) : [];
	const isJson = ([type]: [string, unknown]) => /^application\/(.+\+)?json\b/.test(type);
	const found = (content.find(isJson) ?? content[0])?.[1];
	return isRecord(found) ? found : undefined;
}

/** Follows one `$ref` into the document. A value without `$ref` is returned as it is. */
function followReference(document: JsonRecord, value: unknown): JsonRecord | undefined {
	if (!isRecord(value)) return undefined;
	if (typeof value.$ref !== 'string' || !value.$ref.startsWith('#/')) return value;
	const target = findReference(document, value.$ref);
	return isRecord(target) ? target : undefined;
}

function findAuthoredFlag(place: unknown): unknown {
	if (!isRecord(place)) return undefined;
	const name = Object.keys(place).find((key) => AUTHORED_FLAG.test(key));
	return name && place[name];
}

/** A schema without the keywords that refer to other schemas or combine them. */
export interface ResolvedSchema {
	/** Without `$ref`, `allOf`, `anyOf` and `oneOf`, and with at most one `type`. */
	schema: JsonRecord;
	nullable: boolean;
	/** The members of `anyOf` or `oneOf`, or the types of a list. Either empty or at least two. */
	alternatives: ResolvedSchema[];
	/** The `$ref`s that were followed, to detect a schema that contains itself. */
	trail: ReadonlySet<string>;
	/** The schema contains itself. */
	recursive: boolean;
}

const stringsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);

function mergeProperties(one: JsonRecord, other: JsonRecord): JsonRecord {
	const merged: JsonRecord = { ...one };
	for (const [name, schema] of Object.entries(other)) {
		merged[name] = Object.hasOwn(one, name) ? { allOf: [one[name], schema] } : schema;
	}
	return merged;
}

function mergeSchemas(one: JsonRecord, other: JsonRecord): JsonRecord {
	const merged: JsonRecord = { ...one, ...other };
	if (isRecord(one.properties) && isRecord(other.properties)) merged.properties = mergeProperties(one.properties, other.properties);
	const required = [...new Set([...stringsIn(one.required), ...stringsIn(other.required)])];
	if (required.length > 0) merged.required = required;
	return merged;
}

/** Combines two schemas. The second one wins, because it is closer to the field. */
const merge = (one: ResolvedSchema, other: ResolvedSchema): ResolvedSchema => ({
	schema: mergeSchemas(one.schema, other.schema),
	nullable: one.nullable || other.nullable,
	alternatives: other.alternatives.length > 0 ? other.alternatives : one.alternatives,
	trail: new Set([...one.trail, ...other.trail]),
	recursive: one.recursive || other.recursive,
});

const createResolved = (schema: JsonRecord, trail: ReadonlySet<string>, more: Partial<ResolvedSchema> = {}): ResolvedSchema => ({
	schema,
	nullable: false,
	alternatives: [],
	trail,
	recursive: false,
	...more,
});

const isNull = ({ schema }: ResolvedSchema): boolean => schema.type === 'null' || schema.const === null;

/** Whether the schema describes a value. `anyOf: [{required: ["a"]}, …]` only says which fields belong together. */
const describesValue = ({ schema, alternatives, recursive }: ResolvedSchema): boolean =>
	recursive || alternatives.length > 0 || ['type', 'properties', 'enum', 'const', 'items'].some((keyword) => schema[keyword] !== undefined);

function resolveUnion(from: ResolvedSchema[], trail: ReadonlySet<string>): ResolvedSchema {
	const nullable = from.some((one) => isNull(one) || one.nullable);
	const others = from.filter((one) => !isNull(one) && describesValue(one));
	const [only] = others;
	if (only !== undefined && others.length === 1) return { ...only, nullable };
	return createResolved({}, trail, { nullable, alternatives: others });
}

/** Each type in a list becomes an alternative. */
function resolveTypes(schema: JsonRecord, trail: ReadonlySet<string>): ResolvedSchema {
	const { type, nullable, ...others } = schema;
	const types = Array.isArray(type) ? stringsIn(type).filter((one) => one !== 'null') : [];
	const [only] = types;
	const rest = !Array.isArray(type)
		? type === undefined
			? others
			: { ...others, type }
		: types.length === 1
			? { ...others, type: only }
			: others;
	return createResolved(rest, trail, {
		nullable: nullable === true || (Array.isArray(type) && type.includes('null')),
		alternatives: types.length > 1 ? types.map((one) => createResolved({ type: one }, trail)) : [],
	});
}

/** Resolves `$ref`, `allOf`, `anyOf`, `oneOf` and lists of types. A schema that is not an object allows any value. */
export function resolveSchema(raw: unknown, document: JsonRecord, trail: ReadonlySet<string> = new Set()): ResolvedSchema {
	if (!isRecord(raw)) return createResolved({}, trail);
	const { $ref, allOf, anyOf, oneOf, ...own } = raw;
	const parts: ResolvedSchema[] = [];
	if (typeof $ref === 'string') {
		parts.push(
			trail.has($ref)
				? createResolved({}, trail, { recursive: true })
				: resolveSchema(findReference(document, $ref), document, new Set([...trail, $ref])),
		);
	}
	if (Array.isArray(allOf)) parts.push(...allOf.map((one) => resolveSchema(one, document, trail)));
	for (const union of [anyOf, oneOf]) {
		if (Array.isArray(union))
			parts.push(
				resolveUnion(
					union.map((one) => resolveSchema(one, document, trail)),
					trail,
				),
			);
	}
	return [...parts, resolveTypes(own, trail)].reduce(merge);
}
