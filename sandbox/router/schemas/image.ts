/** Inputs of models that make or change pictures. */
import type { JsonSchema } from '../model';
import { count, imageAddress, object, prompt, seed, side, text } from './parts';

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
		size: { allOf: [{ $ref: '#/components/schemas/Size' }], title: 'Size', description: 'Of the picture.' },
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
		file: { type: 'string', format: 'binary', title: 'File', description: 'The picture itself.' },
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
