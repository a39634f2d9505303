import type { Definitions } from '../../../client';

const MAX_SEED = '18446744073709551615';
const SAMPLERS = ['euler', 'euler_ancestral', 'heun', 'dpm_2', 'dpmpp_2m', 'uni_pc_bh2'];

const of = (required: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
	input: { required },
	output_node: false,
	...more,
});

/** In every form in which inputs are defined: choices of before and of now, and choices that bring inputs with them. */
export const definitions: Definitions = {
	KSampler: of({
		model: ['MODEL', {}],
		// What the transport makes of a number that a double cannot hold.
		seed: ['INT', { default: 0, min: 0, max: MAX_SEED, control_after_generate: true }],
		steps: ['INT', { default: 20, min: 1, max: 10000 }],
		cfg: ['FLOAT', { default: 8, min: 0, max: 100, step: 0.1, round: 0.01 }],
		sampler_name: [SAMPLERS],
		scheduler: ['COMBO', { options: ['normal', 'karras', 'simple'], multiselect: false }],
		denoise: ['FLOAT', { default: 1, min: 0, max: 1, step: 0.01 }],
	}),
	CLIPTextEncode: of({ text: ['STRING', { multiline: true, dynamicPrompts: true }], clip: ['CLIP', {}] }),
	EmptyLatentImage: of({
		width: ['INT', { min: 16, max: 16384, step: 8 }],
		height: ['INT', { min: 16, max: 16384, step: 8 }],
		batch_size: ['INT', { min: 1, max: 4096 }],
	}),
	CheckpointLoaderSimple: of({ ckpt_name: [[]] }),
	LoadImage: of({ image: [['example.png'], { image_upload: true }] }),
	LoadImageMask: of({ image: [['example.png'], { image_upload: true }], channel: [['alpha', 'red', 'green', 'blue']] }),
	LoadAudio: of({ audio: ['COMBO', { multiselect: false, options: [], audio_upload: true }] }),
	LoadClip: of({
		clip: ['COMBO', { options: ['a.mp4'], video_upload: true }],
		picture: ['COMBO', { options: [], animated_image_upload: true }],
		thing: [['x'], { file_upload: true }],
		folder: [['x'], { upload: true }],
	}),
	MaskPainter: of({ paint: ['STRING', { image_upload: true }] }),
	ResizeImageMaskNode: of({
		resize_type: [
			'COMFY_DYNAMICCOMBO_V3',
			{
				options: [
					{
						key: 'scale dimensions',
						inputs: {
							required: {
								width: ['INT', { min: 0, max: 16384 }],
								height: ['INT', { min: 0, max: 16384 }],
								crop: ['COMBO', { options: ['disabled', 'center'] }],
							},
						},
					},
					{ key: 'scale by multiplier', inputs: { required: { multiplier: ['FLOAT', { min: 0.01, max: 8 }] } } },
				],
			},
		],
	}),
	Grown: of({
		parts: ['COMFY_AUTOGROW_V3', { template: { input: { required: { part: ['STRING', { multiline: true }] } }, prefix: 'part', min: 1 } }],
	}),
	FaceRestore: of({
		enabled: ['BOOLEAN', { default: true }],
		model: [['gfpgan', 'CodeFormer']],
		tile: [[128, 256, 512]],
		strength: ['FLOAT', { min: 0 }],
		visible: ['BOOLEAN', {}],
	}),
	PickSamplers: of({ samplers: ['COMBO', { multiselect: true, options: SAMPLERS }], note: ['STRING', {}], settings: ['SOMETHING', {}] }),
	PrimitiveInt: of({ value: ['INT', { min: '-9223372036854775807', max: '9223372036854775807', control_after_generate: 'fixed' }] }),
	Union: of({
		rate: ['FLOAT,INT', { widgetType: 'FLOAT', min: 1, max: 60 }],
		either: ['INT,FLOAT', {}],
		color: ['COLOR', { default: '#000000' }],
	}),
	SaveImage: of({ images: ['IMAGE', {}], filename_prefix: ['STRING', { default: 'ComfyUI' }] }, { output_node: true }),
	PreviewImage: of({ images: ['IMAGE'] }, { output_node: true }),
	// As no server should answer.
	Broken: { input: { required: { a: null, b: [], c: 'INT', d: [7], e: ['INT', 'x'] }, optional: 'none' }, output_node: 'yes' },
	Empty: {},
};
