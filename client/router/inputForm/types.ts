/** The form of a model: its request body as a flat list of fields. Pure: nothing here asks the service. */

import type { ExactNumber } from '../../json/numbers';

export type ChoiceValue = string | number | boolean;

export interface Choice {
	name: string;
	value: ChoiceValue;
}

export interface FormField {
	/** The property's name; of a nested one the names of its objects before it, e.g. `image.url`. */
	id: string;
	/** What people know it by. */
	displayName: string;
	/** `array` and `object` are entered as JSON. */
	type: 'string' | 'number' | 'boolean' | 'options' | 'array' | 'object';
	required: boolean;
	/** Of the schema; JSON text for `array` and `object`. Absent where it has none, or null. */
	default?: ChoiceValue;
	/** With the range of values, where one is given. */
	description: string;
	/** In short, e.g. `1 to 50`. */
	range?: string;
	options?: Choice[];
	/** A file may be sent in it, as a data URI. */
	takesFile?: true;
	/** It may be drawn when the item is run. */
	isSeed?: true;
}

interface Described {
	label: string;
	description: string;
	required: boolean;
	/** Whether null is a value of its own. */
	nullable: boolean;
	/** Undefined where the schema has none, or null. */
	default: unknown;
}

export interface Bounds {
	minimum?: number | ExactNumber;
	maximum?: number | ExactNumber;
	/** Whether the bound itself is left out. */
	aboveMinimum: boolean;
	belowMaximum: boolean;
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';

/** What one field of the form takes. */
export type LeafKind =
	| { kind: 'text'; shortest?: number; longest?: number }
	| { kind: 'number'; whole: boolean; bounds: Bounds }
	| { kind: 'boolean' }
	| { kind: 'choice'; choices: Choice[] }
	| { kind: 'list' }
	| { kind: 'record' }
	/** One of several types; with none given, any. */
	| { kind: 'mixed'; takes: ReadonlySet<JsonType> };

export type Leaf = Described & { id: string } & LeafKind;

export interface ObjectNode extends Described {
	kind: 'properties';
	properties: Record<string, InputNode>;
	/** Where further fields are taken: the id of the form's field for them. */
	additionalId?: string;
}

/** Always the same, so that nobody is asked. */
export interface ConstNode {
	kind: 'const';
	value: unknown;
}

export type InputNode = ObjectNode | ConstNode | Leaf;
