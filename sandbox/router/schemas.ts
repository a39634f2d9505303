/** Inputs of models that make images, text or speech. */
import type { JsonSchema } from './model';

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

export const imageAddress: JsonSchema = { type: 'string', format: 'uri', title: 'Image', description: 'An https address, or a data URI.' };

export const object = (properties: Record<string, JsonSchema>, required: string[] = [], rest: JsonSchema = {}): JsonSchema => ({
	type: 'object',
	properties,
	required,
	...rest,
});

export const imageComponents: Record<string, JsonSchema> = {
	Style: { type: 'string', title: 'Style', enum: ['natural', 'vivid', 'line-art'], default: 'natural' },
	Picture: object(
		{ url: { type: 'string', format: 'uri' }, width: { type: 'integer' }, height: { type: 'integer' }, content_type: { type: 'string' } },
		['url'],
	),
	Reference: object({ image: imageAddress, weight: { type: 'number', title: 'Weight', minimum: 0, maximum: 1, default: 0.5 } }, ['image'], {
		title: 'Reference picture',
		additionalProperties: false,
	}),
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

export const imageEdit: JsonSchema = object(
	{
		prompt,
		image: imageAddress,
		mask: { type: 'string', title: 'Mask', contentEncoding: 'base64', contentMediaType: 'image/png', description: 'White is changed.' },
		overlay: { type: 'string', format: 'data-uri', title: 'Overlay', description: 'A data URI.' },
		references: { type: 'array', title: 'Reference pictures', items: { $ref: '#/components/schemas/Reference' }, maxItems: 4, default: [] },
		strength: { type: 'number', title: 'Strength', minimum: 0, exclusiveMaximum: 1, multipleOf: 0.05, default: 0.75 },
		keep: { type: 'array', title: 'Keep', items: { type: 'string', enum: ['face', 'background', 'colors'] }, uniqueItems: true },
		seed,
	},
	['prompt', 'image'],
	{ title: 'Image edit', additionalProperties: false },
);

export const upscale: JsonSchema = object(
	{
		file: { type: 'string', format: 'binary', title: 'File', description: 'The image file.' },
		factor: { type: 'integer', title: 'Factor', enum: [2, 4], default: 2 },
		label: text('Label', 'Kept with the result.', { maxLength: 64 }),
	},
	['file'],
	{ title: 'Upscale' },
);

export const video: JsonSchema = object(
	{
		prompt,
		first_frame: { anyOf: [imageAddress, { type: 'null' }], title: 'First frame', default: null },
		duration: { type: 'integer', title: 'Duration', description: 'In seconds.', enum: [4, 6, 8], default: 4 },
		resolution: { type: 'string', title: 'Resolution', enum: ['480p', '720p', '1080p'], default: '720p' },
		camera: object({ pan: { type: 'number', minimum: -1, maximum: 1 }, zoom: { type: 'number', minimum: -1, maximum: 1 } }, [], {
			title: 'Camera',
		}),
		generate_audio: { type: 'boolean', title: 'Generate audio', default: true },
		seed,
	},
	['prompt'],
	{ title: 'Text to video' },
);

export const chatComponents: Record<string, JsonSchema> = {
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
	Sampling: object({
		temperature: { type: 'number', title: 'Temperature', minimum: 0, maximum: 2, default: 1 },
		top_p: { type: 'number', title: 'Top p', exclusiveMinimum: 0, maximum: 1 },
	}),
};

export const chat: JsonSchema = {
	title: 'Chat',
	allOf: [
		{ $ref: '#/components/schemas/Sampling' },
		object(
			{
				messages: { type: 'array', title: 'Messages', items: { $ref: '#/components/schemas/Message' }, minItems: 1 },
				max_tokens: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }], title: 'Max tokens', default: null },
				stop: {
					anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 4 }, { type: 'null' }],
					title: 'Stop',
					default: null,
				},
				metadata: { type: 'object', title: 'Metadata', additionalProperties: { type: 'string', maxLength: 512 } },
				response_format: {
					title: 'Response format',
					oneOf: [
						object({ type: { const: 'text' } }, ['type'], { title: 'Text' }),
						object({ type: { const: 'json_schema' }, schema: { type: 'object', additionalProperties: true } }, ['type', 'schema'], {
							title: 'JSON',
						}),
					],
				},
				seed,
			},
			['messages'],
		),
	],
};

export const speech: JsonSchema = object(
	{
		text: text('Text', 'What to say.', { minLength: 1, maxLength: 5000 }),
		voice: { type: 'string', title: 'Voice', enum: ['amber', 'basil', 'cedar'], default: 'amber' },
		voice_settings: object(
			{
				stability: { type: 'number', title: 'Stability', minimum: 0, maximum: 1, default: 0.5 },
				speed: { type: 'number', title: 'Speed', minimum: 0.7, maximum: 1.2, default: 1 },
				speaker_boost: { type: 'boolean', title: 'Speaker boost', default: true },
			},
			[],
			{ title: 'Voice settings' },
		),
		language: { type: ['string', 'null'], title: 'Language', pattern: '^[a-z]{2}$', default: null },
	},
	['text'],
	{ title: 'Text to speech' },
);

export const sound: JsonSchema = object(
	{
		prompt: text('Prompt', 'Which sound.', { minLength: 1 }),
		duration: { type: 'number', title: 'Duration', description: 'In seconds.', minimum: 0.1, maximum: 5, default: 0.5 },
		loop: { type: 'boolean', title: 'Loop', default: false },
	},
	['prompt'],
	{ title: 'Sound effect' },
);
