import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/** What a saved workflow relies on: its values, and what holds where it has none. */
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

/** A form that holds nothing is one and the same default, whatever n8n writes around it. */
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
