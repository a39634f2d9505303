/** Inputs of the models that exist for tests. */
import { LosslessNumber } from '../json';
import type { JsonSchema } from './model';
import { chatComponents, imageAddress, imageComponents, object, prompt, seed, text } from './schemas';

export const everyFeatureComponents: Record<string, JsonSchema> = {
	...chatComponents,
	...imageComponents,
	Base: object({ prompt, count: { type: 'integer', title: 'Count', minimum: 1, maximum: 9, default: 1 } }, ['prompt']),
	Tree: object(
		{
			name: { type: 'string', title: 'Name' },
			children: { type: 'array', title: 'Children', items: { $ref: '#/components/schemas/Tree' } },
		},
		['name'],
		{ title: 'Tree' },
	),
};

/** The model returns the input. */
export const everyFeature: JsonSchema = {
	title: 'Every feature',
	allOf: [
		{ $ref: '#/components/schemas/Base' },
		object(
			{
				style: { $ref: '#/components/schemas/Style' },
				nullable: { anyOf: [{ type: 'number' }, { type: 'null' }], title: 'Nullable', default: null },
				choice: {
					oneOf: [{ type: 'string', title: 'Name' }, object({ width: { type: 'integer' } }, ['width'], { title: 'Size' })],
					title: 'Choice',
				},
				fixed: { const: 'v1', title: 'Fixed' },
				level: { type: 'integer', title: 'Level', enum: [1, 2, 3] },
				ratio: { type: 'number', title: 'Ratio', exclusiveMinimum: 0, maximum: 1, multipleOf: 0.25, default: 0.5 },
				flag: { type: 'boolean', title: 'Flag', description: 'On or off.', default: true },
				code: text('Code', 'Two capitals.', { pattern: '^[A-Z]{2}$' }),
				tags: { type: 'array', title: 'Tags', items: { type: 'string', enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 3 },
				box: object(
					{
						corner: object({ x: { type: 'number', title: 'X' }, y: { type: 'number', title: 'Y' } }, ['x', 'y'], { title: 'Corner' }),
						label: { type: 'string' },
					},
					['corner'],
					{ title: 'Box' },
				),
				points: { type: 'array', title: 'Points', items: object({ x: { type: 'number' }, y: { type: 'number' } }, ['x', 'y']) },
				messages: { type: 'array', title: 'Messages', items: { $ref: '#/components/schemas/Message' } },
				labels: { type: 'object', title: 'Labels', additionalProperties: { type: 'integer' } },
				tree: { $ref: '#/components/schemas/Tree' },
				image: imageAddress,
				overlay: { type: 'string', format: 'data-uri', title: 'Overlay' },
				file: { type: 'string', format: 'binary', title: 'File' },
				seed,
				long_seed: { type: 'integer', title: 'Long seed', minimum: 0, maximum: new LosslessNumber('18446744073709551615') },
			},
			[],
		),
	],
};

export const slow: JsonSchema = object({
	ms: { type: 'integer', title: 'Milliseconds', description: 'How long it takes.', minimum: 0, default: 1000 },
	accept_after_ms: {
		type: 'integer',
		title: 'Accepted after',
		description: 'When the provider takes the work, in milliseconds.',
		minimum: 0,
		default: 0,
	},
	note: { type: 'string', title: 'Note' },
});

export const large: JsonSchema = object(
	{ bytes: { type: 'integer', title: 'Bytes', description: 'Of the JSON answer.', minimum: 32, default: 1024 } },
	['bytes'],
);

export const refusing: JsonSchema = object(
	{ prompt, subject: { type: 'string', title: 'Subject', enum: ['input', 'output'], default: 'input' } },
	['prompt'],
);

export const failing: JsonSchema = object({
	error_type: {
		type: 'string',
		title: 'Error bucket',
		enum: ['provider_error', 'provider_timeout', 'service_unavailable', 'internal_error'],
		default: 'provider_error',
	},
});
