import { listFormFields } from '../../../client/router/inputForm/formFields';
import { buildRequestBody } from '../../../client/router/inputForm/requestBody';
import { type SeedField, findSeedsInBody, hasSeedFields, addSeedsToBody, addSeedsToForm } from '../../../client/router/inputForm/seeds';
import { parseExact } from '../../../client/json/exactJson';
import { formOf, type Json } from './support/forms';

const whole = (rest: Json = {}): Json => ({ type: 'integer', ...rest });
const object = (properties: Json, required: string[] = []): Json => ({ type: 'object', properties, required });
/** A value of its own for each field. */
const byId = ({ id }: SeedField): number => id.length;
const lowest = ({ lowest: seed }: SeedField): number => seed;

function drawnFor(schema: Json, body: Json = {}): SeedField[] {
	const drawn: SeedField[] = [];
	addSeedsToBody(formOf(schema), body, (field) => {
		drawn.push(field);
		return field.lowest;
	});
	return drawn;
}

describe('which fields are seeds', () => {
	it.each(['seed', 'noise_seed', 'randomSeed', 'video.seed', 'seed_value'])('%s', (name) => {
		expect(drawnFor(object({ [name]: whole() }))).toMatchObject([{ path: [name] }]);
	});

	it.each<[string, Json]>([
		['another name', object({ seedream_version: whole(), reseeding: whole(), Seedance: whole() })],
		['no whole number', object({ seed: { type: 'number' }, noise_seed: { type: 'string' } })],
		['a choice', object({ seed: { type: 'integer', enum: [1, 2] } })],
	])('not %s', (_, schema) => {
		expect(drawnFor(schema)).toEqual([]);
		expect(hasSeedFields(formOf(schema))).toBe(false);
	});
});

describe('what they take', () => {
	it.each<[string, Json, number, number]>([
		['nothing said', whole(), 0, 2 ** 31],
		['both ends', whole({ minimum: 5, maximum: 9 }), 5, 5],
		['a minimum by which the model is asked to draw', whole({ minimum: -1, maximum: 4_294_967_295 }), 0, 2 ** 32],
		['ends that are left out', whole({ exclusiveMinimum: 0, exclusiveMaximum: 10 }), 1, 9],
		['more than a double holds', whole({ maximum: parseExact('18446744073709551615') }), 0, Number.MAX_SAFE_INTEGER + 1],
		['null as well', { anyOf: [whole({ maximum: 99 }), { type: 'null' }] }, 0, 100],
	])('%s', (_, schema, first, count) => {
		expect(drawnFor(object({ seed: schema }))).toMatchObject([{ id: 'seed', lowest: first, count }]);
	});

	it('none at all: it is left alone', () => {
		expect(drawnFor(object({ seed: whole({ maximum: -1 }) }))).toEqual([]);
	});
});

describe('seeds inside objects', () => {
	const config = object({ seed: whole(), style: { type: 'string' } });

	it('bring the objects about where these need nothing else', () => {
		const tree = formOf(object({ config, outer: object({ config }) }));
		expect(addSeedsToBody(tree, {}, lowest)).toEqual({ config: { seed: 0 }, outer: { config: { seed: 0 } } });
		expect(addSeedsToForm(tree, {}, lowest)).toEqual({ 'config.seed': 0, 'outer.config.seed': 0 });
	});

	it('but not where it needs more, or always holds something', () => {
		const needy = object({ seed: whole(), style: { type: 'string' } }, ['style']);
		const fixed = object({ seed: whole(), kind: { const: 'a' } });
		for (const one of [needy, fixed]) {
			expect(addSeedsToBody(formOf(object({ config: one })), {}, lowest)).toEqual({});
			expect(addSeedsToForm(formOf(object({ config: one })), {}, lowest)).toEqual({});
		}
		const tree = formOf(object({ config: needy }));
		expect(addSeedsToBody(tree, { config: { style: 'x' } }, lowest)).toEqual({ config: { style: 'x', seed: 0 } });
		expect(addSeedsToForm(tree, { 'config.style': 'x' }, lowest)).toEqual({ 'config.style': 'x', 'config.seed': 0 });
	});

	it('stand beside what is there; what is no object stays', () => {
		const tree = formOf(object({ config, prompt: { type: 'string' } }));
		expect(addSeedsToBody(tree, { prompt: 'x', config: { seed: 7 } }, lowest)).toEqual({ prompt: 'x', config: { seed: 7 } });
		expect(addSeedsToBody(tree, { prompt: 'x', config: 'odd' }, lowest)).toEqual({ prompt: 'x', config: 'odd' });
		const two = formOf(object({ seed: whole(), config }));
		expect(findSeedsInBody(two, { seed: 5, config: { seed: 7 } })).toEqual({ seed: 5, 'config.seed': 7 });
		expect(findSeedsInBody(two, { config: { seed: 7 } })).toEqual({ 'config.seed': 7 });
	});
});

describe('in the form', () => {
	it('a seed has no value at the start that would count as given, and need not be filled in', () => {
		const tree = formOf(object({ seed: whole({ default: 3 }), noise_seed: whole() }, ['seed', 'noise_seed']));
		expect(listFormFields(tree)).toMatchObject([
			{ id: 'noise_seed', required: true, isSeed: true },
			{ id: 'seed', required: false, isSeed: true, description: 'Default: 3.' },
		]);
		expect(listFormFields(tree).every((field) => field.default === undefined)).toBe(true);
		expect(buildRequestBody(tree, { noise_seed: 1 })).toEqual({ seed: 3, noise_seed: 1 });
		expect(buildRequestBody(tree, addSeedsToForm(tree, {}, byId))).toEqual({ seed: 4, noise_seed: 10 });
		expect(addSeedsToBody(tree, {}, byId)).toEqual({ seed: 4, noise_seed: 10 });
	});

	it('one that is given among Additional Fields stays', () => {
		const tree = formOf({ ...object({ seed: whole() }), additionalProperties: true });
		const values = { additional_fields_json: '{"seed": 5}' };
		expect(buildRequestBody(tree, addSeedsToForm(tree, values, byId))).toEqual({ seed: 5 });
	});
});
