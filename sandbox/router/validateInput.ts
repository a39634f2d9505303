/** Validates inputs against the schema of their model. Problems become the entries of a 422. */
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { toDoubles } from '../json';
import { type JsonSchema, type Model, schemaDocument } from './model';
import type { ValidationEntry } from './refusals';

const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, verbose: true }), { mode: 'fast' });
ajv.addFormat('data-uri', /^data:/);

const compiled = new WeakMap<Model, ValidateFunction>();

export function validateInput(model: Model, input: Record<string, unknown>): ValidationEntry[] {
	if (model.schema.kind !== 'authored') return [];
	const validate = validatorOf(model);
	return validate(input) ? [] : (validate.errors ?? []).map(entryOf);
}

function validatorOf(model: Model): ValidateFunction {
	const known = compiled.get(model);
	if (known !== undefined) return known;
	ajv.addSchema(toDoubles(schemaDocument(model)) as JsonSchema, model.id);
	const path = `/v1/models/${model.id}`.replaceAll('/', '~1');
	const validate = ajv.compile({ $ref: `${model.id}#/paths/${path}/post/requestBody/content/application~1json/schema` });
	compiled.set(model, validate);
	return validate;
}

function entryOf({ instancePath, keyword, params, message = 'is wrong', data }: ErrorObject): ValidationEntry {
	const loc = ['body', ...instancePath.split('/').slice(1)];
	if (keyword === 'required') return { loc: [...loc, String(params.missingProperty)], msg: 'Field required', type: 'missing' };
	return { loc, msg: `Input ${message}`, type: keyword === 'type' ? `${String(params.type)}_type` : 'value_error', input: data };
}
