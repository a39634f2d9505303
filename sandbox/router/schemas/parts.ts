/** Words that the schemas of several models share. */
import type { JsonSchema } from '../model';

export const text = (title: string, description: string, rest: JsonSchema = {}): JsonSchema => ({
	type: 'string',
	title,
	description,
	...rest,
});

export const prompt: JsonSchema = text('Prompt', 'What to make.', { minLength: 1, maxLength: 4000, examples: ['A lighthouse at dawn'] });

export const seed: JsonSchema = {
	anyOf: [{ type: 'integer', minimum: 0, maximum: 4_294_967_295 }, { type: 'null' }],
	title: 'Seed',
	description: 'The same seed gives the same result; null for a random one.',
	default: null,
};

export const count: JsonSchema = { type: 'integer', title: 'Number of results', minimum: 1, maximum: 4, default: 1 };

export const side = (title: string): JsonSchema => ({
	type: 'integer',
	title,
	description: 'In pixels.',
	minimum: 16,
	maximum: 256,
	multipleOf: 16,
	default: 32,
});

export const imageAddress: JsonSchema = { type: 'string', format: 'uri', title: 'Image', description: 'An https address, or a data URI.' };

export const object = (properties: Record<string, JsonSchema>, required: string[] = [], rest: JsonSchema = {}): JsonSchema => ({
	type: 'object',
	properties,
	required,
	...rest,
});
