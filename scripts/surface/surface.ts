import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeProperties, INodePropertyCollection, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';
import * as client from '../../client';
import { routerTable } from '../../nodes/shared/explain/router';
import { serviceTables } from '../../nodes/shared/explain/service';
import { STILL_RUNNING } from '../../nodes/shared/itemFault';
import { messages } from '../../nodes/shared/messages/catalogue';
import { readPage } from '../docs/nodePages';
import { projectRoot } from '../n8nHost/environment';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** What has gone or changed, one line each. Names and values may come: of an object new fields, of a list new entries. */
export function findBreakingChanges(promised: unknown, now: unknown, path = ''): string[] {
	if (isObject(promised) && isObject(now))
		return Object.entries(promised).flatMap(([name, value]) =>
			findBreakingChanges(value, now[name], path === '' ? name : `${path} > ${name}`),
		);
	if (Array.isArray(promised) && Array.isArray(now)) {
		const kept = new Set(now.map(shown));
		return promised.filter((one) => !kept.has(shown(one))).map((one) => `${path}: ${shown(one)} has gone`);
	}
	return shown(promised) === shown(now) ? [] : [`${path}: was ${shown(promised)}, is ${shown(now)}`];
}

const isOfNode = (name: string): boolean => /^\d/.test(name);

/** Every field of an item as a path: entries of lists, and what is named by a node's id, by a sign. */
export function fieldsOf(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return [...new Set(value.flatMap((one) => fieldsOf(one, `${path}[]`)))];
	if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return [path];
	const fields = Object.entries(value).flatMap(([name, one]) => {
		const step = isOfNode(name) ? '*' : name;
		return fieldsOf(one, path === '' ? step : `${path}.${step}`);
	});
	return [...new Set(fields)];
}

/** What a saved workflow relies on: its values, and what applies if it has none. */
interface Parameter {
	type: string;
	default?: unknown;
	/** As JSON, where more than one field has this path. */
	defaults?: string[];
	/** The values that can be chosen. */
	options?: unknown[];
	/** Of a resource locator. */
	modes?: string[];
}

/** Texts for people: they hold no value. */
const SAYS_ONLY = new Set(['notice', 'callout', 'button']);

/** A longer default is a text for a model, which may be worded better. */
const LONGEST_DEFAULT = 100;

/** Empty forms have the same default, although n8n writes them in different ways. */
function promisedDefault(type: INodeProperties['type'], value: unknown): unknown {
	if (typeof value === 'string' && value.length > LONGEST_DEFAULT) return '(a text)';
	if (type !== 'resourceMapper') return value;
	const { mappingMode, value: held, schema = [] } = value as { mappingMode: string; value: object | null; schema?: object[] };
	return Object.keys(held ?? {}).length + schema.length === 0 ? { mappingMode, value: null } : value;
}

const isOption = (one: object): one is INodePropertyOptions => 'value' in one;

function described({ type, default: value, options = [], modes = [] }: INodeProperties): Parameter {
	const values = options.filter(isOption).map((one) => one.value);
	return {
		type,
		default: promisedDefault(type, value),
		...(values.length > 0 && { options: values }),
		...(modes.length > 0 && { modes: modes.map(({ name }) => name) }),
	};
}

/** A field of the same name may be another one under another operation, and where an agent runs the node. */
function placesOf({ displayOptions }: INodeProperties): string[] {
	const { resource = [''], operation = [''], '@tool': asTool = [] } = displayOptions?.show ?? {};
	const operations = resource.flatMap((one) => operation.map((other) => [one, other].filter(Boolean).join('/')));
	return operations.map((one) => [one, asTool.includes(true) ? 'as a tool' : ''].filter(Boolean).join(', '));
}

const within = (property: INodeProperties): Array<[group: string, properties: INodeProperties[]]> => {
	if (property.type === 'collection') return [['', (property.options ?? []) as INodeProperties[]]];
	if (property.type !== 'fixedCollection') return [];
	return ((property.options ?? []) as INodePropertyCollection[]).map(({ name, values }) => [`.${name}`, values]);
};

function* everyField(properties: readonly INodeProperties[], above = [''], path = ''): Generator<[path: string, field: INodeProperties]> {
	for (const property of properties) {
		if (SAYS_ONLY.has(property.type)) continue;
		const places = above.flatMap((one) => placesOf(property).map((other) => [one, other].filter(Boolean).join(', ')));
		for (const place of places) yield [`${place === '' ? '' : `${place}: `}${path}${property.name}`, property];
		for (const [group, inner] of within(property)) yield* everyField(inner, places, `${path}${property.name}${group}.`);
	}
}

/** Two fields share a path where something else decides which of them is shown. */
function either(one: Parameter, other: Parameter): Parameter {
	const options = [...new Set([...(one.options ?? []), ...(other.options ?? [])])];
	const defaults = [...new Set([one, other].flatMap((each) => each.defaults ?? [JSON.stringify(each.default)]))];
	return { ...one, ...(options.length > 0 && { options }), ...(defaults.length > 1 && { default: undefined, defaults }) };
}

/** Every parameter by its path, and by the operation that has it. */
export function parametersOf(properties: readonly INodeProperties[]): Record<string, Parameter> {
	const all: Record<string, Parameter> = {};
	for (const [path, field] of everyField(properties)) {
		const known = all[path];
		all[path] = known === undefined ? described(field) : either(known, described(field));
	}
	return all;
}

export const SURFACE_FILE = join(projectRoot, 'test/package/surface.json');

const tables = { ...serviceTables, router: routerTable };

/** The item on the page of a node, which a test holds against a real one. */
function itemOf(nodeName: string): string[] {
	const [, text] = /```json\n([\s\S]*?)```/.exec(readPage(nodeName)) ?? [];
	if (text === undefined) throw new Error(`The page of ${nodeName} shows no item`);
	return fieldsOf(JSON.parse(text)).sort();
}

function nodeSurface(description: INodeTypeDescription): object {
	const { name, version, inputs, outputs, outputNames = [], credentials = [], properties } = description;
	const ends = Array.isArray(outputs) ? outputs : [outputs];
	return {
		versions: [version].flat(),
		inputs,
		outputs: Object.fromEntries(ends.map((end, index) => [index, `${outputNames[index] ?? ''} (${String(end)})`.trim()])),
		credentials: credentials.map((one) => one.name),
		parameters: parametersOf(properties),
		item: itemOf(name),
	};
}

type ErrorClass = abstract new (...all: never[]) => Error;

const isError = (one: unknown): one is ErrorClass => typeof one === 'function' && one.prototype instanceof client.ComfyError;

/** Error kinds in failures: the names of errors that leave the client. */
function kinds(): string[] {
	const classes = Object.values<unknown>(client).filter(isError);
	return [...new Set(classes.map(({ prototype }) => (Object.create(prototype) as Error).name))].sort();
}

const asJson = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

/** Everything that saved workflows rely on. */
export function surfaceOf(nodes: readonly INodeTypeDescription[], credentials: readonly ICredentialType[]): object {
	return asJson({
		nodes: Object.fromEntries(nodes.map((description) => [description.name, nodeSurface(description)])),
		credentials: Object.fromEntries(credentials.map(({ name, properties }) => [name, parametersOf(properties)])),
		failures: {
			fields: [
				'error',
				'error_code',
				'error_description',
				'error_facts',
				'error_facts.kind',
				'error_facts.code',
				'error_facts.http_status',
			],
			kinds: kinds().sort(),
			codes: {
				...Object.fromEntries(Object.entries(tables).map(([name, sentences]) => [name, Object.keys(sentences).sort()])),
				nodes: [STILL_RUNNING],
				messages: Object.keys(messages).sort(),
			},
		},
	});
}

export const readFrozenSurface = (): unknown => JSON.parse(readFileSync(SURFACE_FILE, 'utf8'));
