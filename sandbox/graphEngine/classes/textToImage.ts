/** The classes of ComfyUI's stock graphs: text to image, image to image, inpainting, and LoRAs, without a model. */
import { setImmediate as letOthersRun, setTimeout as sleep } from 'node:timers/promises';
import {
	batchSize,
	combo,
	float,
	integer,
	MAX_RESOLUTION,
	type NodeClass,
	type NodeContext,
	type NodeInputs,
	ofType,
	seedRange,
	shown,
} from '../nodeClass';
import { drawPicture } from '../picture';
import { cropFrame, encodeJpeg, filledFrame, overlayFrames, resizeFrame } from '../pixels';
import type { Frame, Latent, Value } from '../values';

/** The first is the checkpoint of ComfyUI's stock graph. None of these files exist. */
export const CHECKPOINTS = ['v1-5-pruned-emaonly-fp16.safetensors', 'daylight_v2.safetensors', 'midnight_v1.safetensors'];
/** None of these files exist. */
export const LORAS = ['ink/brush.safetensors', 'pixel_art.safetensors'];

/** More than 20: of such lists, ComfyUI reports only the number of options. */
const SAMPLERS = [
	'euler',
	'euler_cfg_pp',
	'euler_ancestral',
	'euler_ancestral_cfg_pp',
	'heun',
	'heunpp2',
	'dpm_2',
	'dpm_2_ancestral',
	'lms',
	'dpm_fast',
	'dpm_adaptive',
	'dpmpp_2s_ancestral',
	'dpmpp_sde',
	'dpmpp_2m',
	'dpmpp_2m_sde',
	'dpmpp_3m_sde',
	'ddpm',
	'lcm',
	'res_multistep',
	'ddim',
	'uni_pc',
];
const SCHEDULERS = ['simple', 'sgm_uniform', 'karras', 'exponential', 'ddim_uniform', 'beta', 'normal', 'linear_quadratic', 'kl_optimal'];

const latentEdge = shown(integer(16, MAX_RESOLUTION), { default: 512, step: 8 });
const linked = (type: 'MODEL' | 'CLIP' | 'VAE' | 'CONDITIONING' | 'LATENT' | 'IMAGE' | 'MASK') => shown(ofType(type), {});
const loraStrength = shown(float(-100, 100), { default: 1, step: 0.01 });

const latentOf = (latent: Latent): Value[] => [{ type: 'LATENT', latent }];

/** A pixel of a latent stands for eight pixels of its image. */
const LATENT_PIXELS = 8;
const roundToLatent = (pixels: number): number => Math.max(1, Math.floor(pixels / LATENT_PIXELS)) * LATENT_PIXELS;

/** The color of an empty latent. */
const NOTHING = 0x7f7f7f;

/** Crops both sides equally to whole pixels of a latent. */
async function cropToLatent(frame: Frame): Promise<Frame> {
	const [width, height] = [roundToLatent(frame.width), roundToLatent(frame.height)];
	if (width > frame.width || height > frame.height) return await resizeFrame(frame, width, height, 'bilinear');
	return await cropFrame(frame, Math.floor((frame.width - width) / 2), Math.floor((frame.height - height) / 2), width, height);
}

export const textToImage: Record<string, NodeClass> = {
	CheckpointLoaderSimple: {
		required: { ckpt_name: combo(...CHECKPOINTS) },
		outputs: ['MODEL', 'CLIP', 'VAE'],
		shown: { displayName: 'Load Checkpoint', category: 'model/loaders' },
		execute: (inputs) => (['MODEL', 'CLIP', 'VAE'] as const).map((type) => ({ type, checkpoint: inputs.text('ckpt_name') })),
	},
	/** The image that a sampler generates depends on the LoRA and its strength. */
	LoraLoader: {
		required: {
			model: linked('MODEL'),
			clip: linked('CLIP'),
			lora_name: combo(...LORAS),
			strength_model: loraStrength,
			strength_clip: loraStrength,
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
	CLIPTextEncode: {
		required: { text: shown(ofType('STRING'), { multiline: true, dynamicPrompts: true }), clip: linked('CLIP') },
		outputs: ['CONDITIONING'],
		shown: { displayName: 'CLIP Text Encode (Prompt)', category: 'model/conditioning' },
		execute: (inputs) => [{ type: 'CONDITIONING', prompt: inputs.text('text') }],
	},
	EmptyLatentImage: {
		required: { width: latentEdge, height: latentEdge, batch_size: shown(batchSize, { default: 1 }) },
		outputs: ['LATENT'],
		shown: { displayName: 'Empty Latent Image', category: 'model/latent' },
		execute(inputs) {
			const frame = filledFrame(roundToLatent(inputs.number('width')), roundToLatent(inputs.number('height')), NOTHING);
			return latentOf({ frames: Array.from({ length: inputs.number('batch_size') }, () => frame) });
		},
	},
	KSampler: {
		required: {
			model: linked('MODEL'),
			seed: shown(seedRange, { default: 0, control_after_generate: true }),
			steps: shown(integer(1, 10_000), { default: 20 }),
			cfg: shown(float(0, 100), { default: 8, step: 0.1, round: 0.01 }),
			sampler_name: combo(...SAMPLERS),
			scheduler: combo(...SCHEDULERS),
			positive: linked('CONDITIONING'),
			negative: linked('CONDITIONING'),
			latent_image: linked('LATENT'),
			denoise: shown(float(0, 1), { default: 1, step: 0.01 }),
		},
		outputs: ['LATENT'],
		shown: { category: 'model/sampling', displayName: 'KSampler' },
		async execute(inputs, context) {
			const given = inputs.of('latent_image', 'LATENT').latent;
			const frames = await Promise.all(given.frames.map(async (frame, index) => await sample(inputs, frame, index, given.noiseMask)));
			await showSteps(context, frames[0] as Frame, inputs.number('steps'), context.behaviour.samplerStepMs);
			return latentOf({ ...given, frames });
		},
	},
	VAEDecode: {
		required: { samples: linked('LATENT'), vae: linked('VAE') },
		outputs: ['IMAGE'],
		shown: { displayName: 'VAE Decode', category: 'model/latent' },
		execute: (inputs) => [{ type: 'IMAGE', frames: inputs.of('samples', 'LATENT').latent.frames }],
	},
	VAEEncode: {
		required: { pixels: linked('IMAGE'), vae: linked('VAE') },
		outputs: ['LATENT'],
		shown: { displayName: 'VAE Encode', category: 'model/latent' },
		execute: async (inputs) => latentOf({ frames: await Promise.all(inputs.frames('pixels').map(cropToLatent)) }),
	},
	/** The sandbox does not grow the mask. */
	VAEEncodeForInpaint: {
		required: {
			pixels: linked('IMAGE'),
			vae: linked('VAE'),
			mask: linked('MASK'),
			grow_mask_by: shown(integer(0, 64), { default: 6, step: 1 }),
		},
		outputs: ['LATENT'],
		shown: { displayName: 'VAE Encode (for Inpainting)', category: 'model/latent' },
		async execute(inputs) {
			const frames = await Promise.all(inputs.frames('pixels').map(cropToLatent));
			return latentOf({ frames, noiseMask: inputs.of('mask', 'MASK').mask });
		},
	},
};

/** Keeps the input where the mask excludes it, and otherwise in the share that `denoise` leaves. */
async function sample(inputs: NodeInputs, frame: Frame, index: number, noiseMask: Frame | undefined): Promise<Frame> {
	const { width, height } = frame;
	const { value, exact } = inputs.of('seed', 'INT');
	const picture = await drawPicture({
		width,
		height,
		prompt: inputs.of('positive', 'CONDITIONING').prompt,
		seed: String(exact ?? value),
		settings: [
			index,
			inputs.of('model', 'MODEL').checkpoint,
			inputs.of('negative', 'CONDITIONING').prompt,
			inputs.number('steps'),
			inputs.number('cfg'),
			inputs.text('sampler_name'),
			inputs.text('scheduler'),
		],
	});
	const mask = noiseMask && (await resizeFrame(noiseMask, width, height, 'bilinear'));
	return overlayFrames(frame, picture, { share: inputs.number('denoise'), mask });
}

const PREVIEW_EDGE = 96;

/** Reports each step with a preview that changes from gray to the result. @param stepMs least duration of a step. */
export async function showSteps(context: NodeContext, frame: Frame, steps: number, stepMs: number): Promise<void> {
	const { signal, emit } = context;
	const shrink = Math.min(1, PREVIEW_EDGE / Math.max(frame.width, frame.height));
	const [width, height] = [frame.width, frame.height].map((length) => Math.max(1, Math.round(length * shrink))) as [number, number];
	const small = await resizeFrame(frame, width, height, 'nearest-exact');
	const gray = filledFrame(width, height, NOTHING);
	for (let step = 1; step <= steps; step++) {
		await (stepMs > 0 ? sleep(stepMs, undefined, { signal }) : letOthersRun());
		signal.throwIfAborted();
		emit({ kind: 'progress', value: step, max: steps });
		emit({ kind: 'preview', contentType: 'image/jpeg', data: await encodeJpeg(overlayFrames(gray, small, { share: step / steps })) });
	}
}
