/** Finds its way in a model's standalone OpenAPI document. Pure. */
import { isRecord, type JsonRecord } from '../../decode';
import type { RouterInputSchema, RouterModelId } from '../types';

/** Vendors differ in the middle part of its name. */
const AUTHORED_FLAG = /^x-(.+-)?input-schema-authored$/;

/** @returns undefined for what the document does not hold; only references into the document itself are followed. */
export function lookUp(document: JsonRecord, reference: string): unknown {
	if (!reference.startsWith('#')) return undefined;
	const names = reference.slice(1).replaceAll('%20', ' ').split('/').slice(1);
	return names.reduce<unknown>((place, name) => {
		const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
		if (Array.isArray(place)) return place[Number(key)];
		return isRecord(place) && Object.hasOwn(place, key) ? place[key] : undefined;
	}, document);
}

/** What the document says about the model's input. */
export function inputSchemaOf(document: JsonRecord, id: RouterModelId): Pick<RouterInputSchema, 'schema' | 'authored'> {
	const operation = modelOperation(document, id);
	const body = resolved(document, operation?.requestBody);
	const mediaType = jsonMediaType(body);
	const schema = isRecord(mediaType?.schema) ? mediaType.schema : undefined;
	const places = [document, document.info, operation, body, mediaType, schema, resolved(document, schema)];
	const isDenied = places.some((place) => authoredFlag(place) === false);
	return { schema, authored: schema !== undefined && !isDenied };
}

/** The run, not the queued submission beside it. */
function modelOperation(document: JsonRecord, id: RouterModelId): JsonRecord | undefined {
	const paths = isRecord(document.paths) ? Object.entries(document.paths) : [];
	const posts = paths.flatMap(([path, item]) => (isRecord(item) && isRecord(item.post) ? [{ path, post: item.post }] : []));
	return (posts.find(({ path }) => path.endsWith(`/${id}`)) ?? posts.find(({ path }) => !path.endsWith('/requests')) ?? posts[0])?.post;
}

function jsonMediaType(body: JsonRecord | undefined): JsonRecord | undefined {
	const content = isRecord(body?.content) ? Object.entries(body.content) : [];
	const isJson = ([type]: [string, unknown]) => /^application\/(.+\+)?json\b/.test(type);
	const found = (content.find(isJson) ?? content[0])?.[1];
	return isRecord(found) ? found : undefined;
}

/** Follows a `$ref` into the document, once; what is none is itself. */
function resolved(document: JsonRecord, value: unknown): JsonRecord | undefined {
	if (!isRecord(value)) return undefined;
	if (typeof value.$ref !== 'string' || !value.$ref.startsWith('#/')) return value;
	const target = lookUp(document, value.$ref);
	return isRecord(target) ? target : undefined;
}

function authoredFlag(place: unknown): unknown {
	if (!isRecord(place)) return undefined;
	const name = Object.keys(place).find((key) => AUTHORED_FLAG.test(key));
	return name && place[name];
}
