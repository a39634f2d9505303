import { listFormFields } from '../../../../client/router/inputForm/formFields';
import { buildInputForm } from '../../../../client/router/inputForm/inputForm';
import { buildRequestBody } from '../../../../client/router/inputForm/requestBody';
import { type FieldGroup, type FormField, InputError } from '../../../../client/router/inputForm/types';

export type Json = Record<string, unknown>;

/** The form of a schema that has fields. */
export function formOf(schema: Json, document: Json = {}): FieldGroup {
	const form = buildInputForm(schema, document);
	if (form === undefined) throw new Error('no form');
	return form;
}

/** Functions for objects with these properties, whose `$ref`s lead into the document. */
export function useForms(document: Json = {}) {
	const build = (properties: Json, more: Json = {}) => formOf({ type: 'object', properties, ...more }, document);
	const bodyOf = (properties: Json, values: Json, more: Json = {}): Json => buildRequestBody(build(properties, more), values);
	return {
		formOf: build,
		fieldsOf: (properties: Json, more: Json = {}): FormField[] => listFormFields(build(properties, more)),
		bodyOf,
		/** What is sent for one property. */
		sent: (it: Json, value: unknown, required = false): unknown => bodyOf({ it }, { it: value }, required ? { required: ['it'] } : {}).it,
	};
}

/** The facts of the error; undefined if there is none. */
export function faultOf(act: () => unknown): unknown {
	try {
		act();
	} catch (error) {
		if (error instanceof InputError) return error.facts;
		throw error;
	}
	return undefined;
}
