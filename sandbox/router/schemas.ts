/** The inputs of the models. */
import { LosslessNumber } from '../json';
import type { JsonSchema } from './model';

const text = (title: string, description: string, rest: JsonSchema = {}): JsonSchema => ({
	type: 'string',
	title,
	description,
	...rest,
});

const prompt: JsonSchema = text('Prompt', 'What to make.', { minLength: 1, maxLength: 4000, examples: ['A lighthouse at dawn'] });

const seed: JsonSchema = {
	anyOf: [{ type: 'integer', minimum: 0, maximum: 4_294_967_295 }, { type: 'null' }],
	title: 'Seed',
	description: 'The same seed gives the same result; null for a random one.',
	default: null,
};

const count: JsonSchema = { type: 'integer', title: 'Number of results', minimum: 1, maximum: 4, default: 1 };

const side = (title: string): JsonSchema => ({
	type: 'integer',
	title,
	description: 'In pixels.',
	minimum: 16,
	maximum: 256,
	multipleOf: 16,
	default: 32,
});

const imageAddress: JsonSchema = { type: 'string', format: 'uri', title: 'Image', description: 'An https address, or a data URI.' };

const object = (properties: Record<string, JsonSchema>, required: string[] = [], rest: JsonSchema = {}): JsonSchema => ({
	type: 'object',
	properties,
	required,
	...rest,
});

export const imageComponents: Record<string, JsonSchema> = {
	Style: { type: 'string', title: 'Style', enum: ['natural', 'vivid', 'line-art'], default: 'natural' },
	Size: object({ width: side('Width'), height: side('Height') }, ['width', 'height'], { title: 'Size' }),
};

export const imageFromText: JsonSchema = object(
	{
		prompt,
		negative_prompt: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'Negative prompt', default: null },
		style: { $ref: '#/components/schemas/Style' },
		size: { allOf: [{ $ref: '#/components/schemas/Size' }], title: 'Size', description: 'Size of the image.' },
		num_images: count,
		guidance: { type: 'number', title: 'Guidance', exclusiveMinimum: 0, maximum: 20, default: 3.5 },
		seed,
		enhance_prompt: { type: 'boolean', title: 'Enhance prompt', default: false },
		output_format: { const: 'png', title: 'Output format', default: 'png' },
	},
	['prompt'],
	{ title: 'Text to image' },
);

export const video: JsonSchema = object(
	{
		prompt,
		first_frame: { anyOf: [imageAddress, { type: 'null' }], title: 'First frame', default: null },
		duration: { type: 'integer', title: 'Duration', description: 'In seconds.', enum: [4, 6, 8], default: 4 },
		seed,
	},
	['prompt'],
	{ title: 'Text to video' },
);

const chatComponents: Record<string, JsonSchema> = {
	TextPart: object({ type: { const: 'text' }, text: { type: 'string', title: 'Text' } }, ['type', 'text'], { title: 'Text' }),
	ImagePart: object(
		{ type: { const: 'image_url' }, image_url: object({ url: { type: 'string', format: 'uri', title: 'Address' } }, ['url']) },
		['type', 'image_url'],
		{ title: 'Picture' },
	),
	Message: object(
		{
			role: { type: 'string', title: 'Role', enum: ['system', 'user', 'assistant'] },
			content: {
				title: 'Content',
				oneOf: [
					{ type: 'string', title: 'Text' },
					{
						type: 'array',
						title: 'Parts',
						items: {
							oneOf: [{ $ref: '#/components/schemas/TextPart' }, { $ref: '#/components/schemas/ImagePart' }],
							discriminator: { propertyName: 'type' },
						},
					},
				],
			},
		},
		['role', 'content'],
		{ title: 'Message' },
	),
};

export const speech: JsonSchema = object(
	{
		text: text('Text', 'What to say.', { minLength: 1, maxLength: 5000 }),
		voice: { type: 'string', title: 'Voice', enum: ['amber', 'basil', 'cedar'], default: 'amber' },
	},
	['text'],
	{ title: 'Text to speech' },
);

export const onlyPrompt: JsonSchema = object({ prompt }, ['prompt']);

export const promptAndSeed: JsonSchema = object({ prompt, seed }, ['prompt']);

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
	note: { type: 'string', title: 'Note' },
});

export const large: JsonSchema = object(
	{ bytes: { type: 'integer', title: 'Bytes', description: 'Of the JSON answer.', minimum: 32, default: 1024 } },
	['bytes'],
);

export const failing: JsonSchema = object({
	error_type: {
		type: 'string',
		title: 'Error bucket',
		enum: ['provider_error', 'provider_timeout', 'service_unavailable', 'internal_error'],
		default: 'provider_error',
	},
});
