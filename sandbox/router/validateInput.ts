/** Validates inputs against the schema of their model. Problems become the entries of a 422. */
import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { toDoubles } from '../json';
import { type JsonSchema, type Model, schemaDocument } from './model';
import type { ValidationEntry } from './refusals';

const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, verbose: true }), { mode: 'fast' });
ajv.addFormat('data-uri', /^data:/);

const compiled = new WeakMap<Model, ValidateFunction>();

const TYPE_WORDS: Record<string, string> = {
	string: 'string',
	integer: 'int',
	number: 'float',
	boolean: 'bool',
	array: 'list',
	object: 'dict',
	null: 'none',
};

/** Keyword → the provider's error type, and the name of the limit in `ctx`. */
const BOUNDS: Record<string, [type: string, bound: string]> = {
	minimum: ['greater_than_equal', 'ge'],
	exclusiveMinimum: ['greater_than', 'gt'],
	maximum: ['less_than_equal', 'le'],
	exclusiveMaximum: ['less_than', 'lt'],
	multipleOf: ['multiple_of', 'multiple_of'],
	minLength: ['string_too_short', 'min_length'],
	maxLength: ['string_too_long', 'max_length'],
	pattern: ['string_pattern_mismatch', 'pattern'],
	minItems: ['too_short', 'min_length'],
	maxItems: ['too_long', 'max_length'],
	enum: ['literal_error', 'expected'],
	const: ['literal_error', 'expected'],
	format: ['value_error', 'format'],
};

/** @param rejectUnknown whether fields outside of the schema are invalid. */
export function validateInput(model: Model, input: Record<string, unknown>, rejectUnknown: boolean): ValidationEntry[] {
	if (model.schema.kind !== 'authored') return [];
	const validate = validatorOf(model);
	const entries = validate(input) ? [] : (validate.errors ?? []).map(entryOf);
	if (!rejectUnknown) return entries;
	const known = namesIn(model.schema.input, model.schema.components);
	const unknown = Object.keys(input).filter(
		(name) => !known.includes(name) && !entries.some(({ loc }) => loc.length === 2 && loc[1] === name),
	);
	return [...entries, ...unknown.map((name) => extra(['body', name], input[name]))];
}

/** The fields in the schema of an object, including those of `allOf` and `$ref`. */
function namesIn(schema: JsonSchema, components: Record<string, JsonSchema> = {}): string[] {
	const referred = typeof schema.$ref === 'string' ? components[schema.$ref.split('/').at(-1) ?? ''] : undefined;
	const parts = [...((schema.allOf ?? []) as JsonSchema[]), ...(referred === undefined ? [] : [referred])];
	return [...Object.keys((schema.properties ?? {}) as object), ...parts.flatMap((part) => namesIn(part, components))];
}

function validatorOf(model: Model): ValidateFunction {
	const known = compiled.get(model);
	if (known !== undefined) return known;
	// Each sandbox of a process has its own models with the same names.
	ajv.removeSchema(model.id);
	ajv.addSchema(toDoubles(schemaDocument(model)) as JsonSchema, model.id);
	const path = `/v1/models/${model.id}`.replaceAll('/', '~1');
	const validate = ajv.compile({ $ref: `${model.id}#/paths/${path}/post/requestBody/content/application~1json/schema` });
	compiled.set(model, validate);
	return validate;
}

function entryOf({ instancePath, keyword, params, message = 'is wrong', data, schema }: ErrorObject): ValidationEntry {
	const loc = ['body', ...steps(instancePath)];
	if (keyword === 'required') return { loc: [...loc, String(params.missingProperty)], msg: 'Field required', type: 'missing' };
	if (keyword === 'additionalProperties') {
		const name = String(params.additionalProperty);
		return extra([...loc, name], (data as Record<string, unknown>)[name]);
	}
	if (keyword === 'type')
		return { loc, msg: `Input ${message}`, type: `${TYPE_WORDS[String([params.type].flat()[0])] ?? 'value'}_type`, input: data };
	const [type, bound] = BOUNDS[keyword] ?? ['value_error', undefined];
	return { loc, msg: `Input ${message}`, type, ...(bound !== undefined && { ctx: { [bound]: schema } }), input: data };
}

const extra = (loc: ValidationEntry['loc'], input: unknown): ValidationEntry => ({
	loc,
	msg: 'Extra inputs are not permitted',
	type: 'extra_forbidden',
	input,
});

/** Array indexes are numbers. */
const steps = (pointer: string): Array<string | number> =>
	pointer
		.split('/')
		.slice(1)
		.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
		.map((step) => (/^(0|[1-9]\d*)$/.test(step) ? Number(step) : step));
