/** Nodes that load LoRAs and upscale models. None of these files exist. */
import { combo, float, namedCombo, type NodeClass, ofType, shown } from '../nodeClass';
import { resizeFrame } from '../pixels';

export const LORAS = ['ink/brush.safetensors', 'pixel_art.safetensors'];

/** Each name starts with the factor by which the model enlarges an image. */
export const UPSCALE_MODELS = ['2x_photo.pth', '4x_drawing.pth'];

const strength = shown(float(-100, 100), { default: 1, step: 0.01 });

export const modelNodes: Record<string, NodeClass> = {
	/** The image that a sampler generates depends on the LoRA and its strength. */
	LoraLoader: {
		required: {
			model: shown(ofType('MODEL'), {}),
			clip: shown(ofType('CLIP'), {}),
			lora_name: combo(...LORAS),
			strength_model: strength,
			strength_clip: strength,
		},
		outputs: ['MODEL', 'CLIP'],
		shown: { displayName: 'Load LoRA (Model and CLIP)', category: 'model/loaders' },
		execute(inputs) {
			const checkpoint = `${inputs.of('model', 'MODEL').checkpoint} + ${inputs.text('lora_name')} ${inputs.number('strength_model')}`;
			return [
				{ type: 'MODEL', checkpoint },
				{ type: 'CLIP', checkpoint },
			];
		},
	},
	UpscaleModelLoader: {
		required: { model_name: namedCombo(...UPSCALE_MODELS) },
		outputs: ['UPSCALE_MODEL'],
		shown: { displayName: 'Load Upscale Model', category: 'model/loaders' },
		execute: (inputs) => [{ type: 'UPSCALE_MODEL', factor: Number.parseInt(inputs.text('model_name'), 10) }],
	},
	ImageUpscaleWithModel: {
		required: { upscale_model: shown(ofType('UPSCALE_MODEL'), {}), image: shown(ofType('IMAGE'), {}) },
		outputs: ['IMAGE'],
		shown: { displayName: 'Upscale Image (using Model)', category: 'image/upscaling' },
		async execute(inputs) {
			const { factor } = inputs.of('upscale_model', 'UPSCALE_MODEL');
			const enlarged = inputs
				.frames('image')
				.map(async (frame) => await resizeFrame(frame, frame.width * factor, frame.height * factor, 'bicubic'));
			return [{ type: 'IMAGE', frames: await Promise.all(enlarged) }];
		},
	},
};
