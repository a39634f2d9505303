/** Inputs of models that write, speak or sing. */
import type { JsonSchema } from '../model';
import { object, seed, text } from './parts';

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
