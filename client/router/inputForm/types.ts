import { ComfyError } from '../../errors/errors';
import type { ExactNumber } from '../../json/numbers';

/** The types of a model's input form. Nothing in this folder sends a request. */

export type ChoiceValue = string | number | boolean;

export interface Choice {
	name: string;
	value: ChoiceValue;
}

export interface FormField {
	/** The name of the property. Nested names are joined: `image.url`. */
	id: string;
	/** The label on screen. */
	displayName: string;
	/** `array` and `object` are entered as JSON. */
	type: 'string' | 'number' | 'boolean' | 'options' | 'array' | 'object';
	required: boolean;
	/** The default of the schema, as JSON text for `array` and `object`. Absent if there is none, or null. */
	default?: ChoiceValue;
	/** Includes the range of values, if there is one. */
	description: string;
	/** The range as text, for example `1 to 50`. */
	range?: string;
	options?: Choice[];
	/** The field accepts a file as a data URI. */
	takesFile?: true;
	/** The field is a seed, which the node may choose for each item. */
	isSeed?: true;
}

interface FieldFacts {
	label: string;
	description: string;
	required: boolean;
	/** Whether null is a valid value. */
	nullable: boolean;
	/** Undefined if the schema has none, or null. */
	default: unknown;
}

export interface NumberRange {
	minimum?: number | ExactNumber;
	maximum?: number | ExactNumber;
	/** Whether the bound itself is excluded. */
	aboveMinimum: boolean;
	belowMaximum: boolean;
}

export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';

/** The values that one field accepts. */
export type FieldKind =
	| { kind: 'text'; shortest?: number; longest?: number }
	| { kind: 'number'; whole: boolean; bounds: NumberRange }
	| { kind: 'boolean' }
	| { kind: 'choice'; choices: Choice[] }
	| { kind: 'list' }
	| { kind: 'record' }
	/** One of several types. Any type if the set is empty. */
	| { kind: 'mixed'; types: ReadonlySet<JsonType> };

export type InputField = FieldFacts & { id: string } & FieldKind;

export interface FieldGroup extends FieldFacts {
	kind: 'properties';
	properties: Record<string, FormNode>;
	/** If further properties are allowed: the id of the form field for them. */
	additionalId?: string;
}

/** A fixed value, so the form has no field for it. */
export interface FixedValue {
	kind: 'const';
	value: unknown;
}

export type FormNode = FieldGroup | FixedValue | InputField;

export type InputFault =
	| { fault: 'empty'; field: string }
	/** `expected`: the accepted value, for example `a whole number`. */
	| { fault: 'wrong_type'; field: string; expected: string }
	| { fault: 'not_a_choice'; field: string; choices: string[] }
	/** `allowed`: for example `1 to 50`. */
	| { fault: 'out_of_range'; field: string; allowed: string }
	/** `left`: the number that is left. */
	| { fault: 'lost_digits'; field: string; left: string }
	| { fault: 'unknown_field'; field: string; known: string[] };

/** The input cannot be sent to the model. Nothing was sent. `field` is the label on screen. */
export class InputError extends ComfyError {
	constructor(readonly facts: InputFault) {
		super(`Unusable input: ${facts.fault} (${facts.field})`);
	}
}
