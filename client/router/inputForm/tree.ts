import { isRecord, type JsonRecord } from '../../decode';
import { leafKindOf, typeOf } from './leaf';
import { settle, type Settled } from './settle';
import type { InputNode, ObjectNode } from './types';
import { descriptionOf, fieldLabel } from './words';

/** Objects inside objects inside the body are shown field by field; deeper ones are entered as JSON. */
const DEEPEST = 2;

const ADDITIONAL_ID = 'additional_fields_json';

interface Place {
	document: JsonRecord;
	/** The names on the way to it. */
	path: string[];
	/** The labels on the way to it. */
	labels: string[];
	name: string;
	required: boolean;
}

const takesMore = ({ additionalProperties }: JsonRecord): boolean => additionalProperties === true || isRecord(additionalProperties);

/** Whether its properties can stand in the form one by one. */
function canUnfold({ schema, alternatives, recursive }: Settled, depth: number): boolean {
	if (recursive || alternatives.length > 0 || typeOf(schema) !== 'object' || depth > DEEPEST || takesMore(schema)) return false;
	const names = Object.keys(isRecord(schema.properties) ? schema.properties : {});
	return names.length > 0 && !names.some((name) => name.includes('.'));
}

function propertiesOf({ schema, trail }: Settled, { document, path, labels }: Omit<Place, 'name' | 'required'>): Record<string, InputNode> {
	const required = Array.isArray(schema.required) ? schema.required : [];
	const entries = Object.entries(isRecord(schema.properties) ? schema.properties : {}).flatMap(
		([name, raw]): Array<[string, InputNode]> => {
			const settled = settle(raw, document, trail);
			if (settled.schema.readOnly === true) return [];
			return [[name, nodeOf(settled, { document, path: [...path, name], labels, name, required: required.includes(name) })]];
		},
	);
	return Object.fromEntries(entries);
}

function nodeOf(settled: Settled, place: Place): InputNode {
	const { schema, nullable } = settled;
	if (schema.const !== undefined && !nullable) return { kind: 'const', value: schema.const };
	const labels = [...place.labels, fieldLabel(place.name, schema)];
	const described = {
		label: labels.join(' > '),
		description: descriptionOf(schema),
		required: place.required,
		nullable: nullable || (Array.isArray(schema.enum) && schema.enum.includes(null)),
		default: schema.default ?? undefined,
	};
	if (canUnfold(settled, place.path.length)) {
		return { ...described, kind: 'properties', properties: propertiesOf(settled, { ...place, labels }) };
	}
	return { ...described, id: place.path.join('.'), ...leafKindOf(settled) };
}

/**
 * The body of a request as a tree of fields.
 * @param document where the schema's `$ref`s lead to.
 * @returns undefined where the schema names no fields of its own, so that only JSON can be entered.
 */
export function inputTree(schema: JsonRecord, document: JsonRecord): ObjectNode | undefined {
	const settled = settle(schema, document);
	const properties = propertiesOf(settled, { document, path: [], labels: [] });
	if (Object.keys(properties).length === 0) return undefined;
	return {
		kind: 'properties',
		label: '',
		description: descriptionOf(settled.schema),
		required: true,
		nullable: false,
		default: undefined,
		properties,
		...(takesMore(settled.schema) ? { additionalId: ADDITIONAL_ID } : {}),
	};
}
