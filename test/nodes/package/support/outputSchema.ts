/** JSON Schema of the items of an operation. */
export interface ItemSchema {
	type: string | string[];
	/** Fields that every item has. */
	properties?: Record<string, ItemSchema>;
	/** Of a list. */
	items?: ItemSchema;
}

/** A workflow or a model decides what these fields contain. */
const OPEN_FIELDS = new Set(['schema', 'seeds', 'workflow']);

const typeOf = (value: unknown): string => {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
};

/** n8n's editor shows the first type, so null is the last one. */
const inOrder = (one: string, other: string): number => Number(one === 'null') - Number(other === 'null') || one.localeCompare(other);

const isObject = (value: unknown): value is Record<string, unknown> => typeOf(value) === 'object';

function commonFields(objects: Array<Record<string, unknown>>): string[] {
	const [first = {}, ...others] = objects;
	return Object.keys(first).filter((name) => others.every((other) => Object.hasOwn(other, name)));
}

function propertiesOf(objects: Array<Record<string, unknown>>): Record<string, ItemSchema> {
	const fields = commonFields(objects).map((name) => {
		const values = objects.map((one) => one[name]);
		return [name, OPEN_FIELDS.has(name) ? { type: typesOf(values) } : schemaOf(values)] as const;
	});
	return Object.fromEntries(fields);
}

function typesOf(values: unknown[]): string | string[] {
	const [first = 'null', ...others] = [...new Set(values.map(typeOf))].sort(inOrder);
	return others.length === 0 ? first : [first, ...others];
}

/** Returns the schema that all values match: of an object the fields that all objects have, with each type that occurs. */
export function schemaOf(values: unknown[]): ItemSchema {
	const properties = propertiesOf(values.filter(isObject));
	const entries = values.filter(Array.isArray).flat();
	return {
		type: typesOf(values),
		...(Object.keys(properties).length > 0 && { properties }),
		...(entries.length > 0 && { items: schemaOf(entries) }),
	};
}
