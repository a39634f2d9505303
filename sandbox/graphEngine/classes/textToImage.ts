import { blendFrames, fitMask, growMask, mixByMask } from '../mixing';
import { cropToWhole, toFrames, showSteps, roundToLatentSize } from '../sampling';
import { batchSize, combo, float, integer, MAX_RESOLUTION, type NodeClass, type NodeInputs, ofType, seedRange, shown } from '../nodeClass';
import { paint } from '../painting';
import type { Frame, Latent, Value } from '../values';

/** The first is the checkpoint of ComfyUI's stock graph. None of these files exist. */
export const CHECKPOINTS = ['v1-5-pruned-emaonly-fp16.safetensors', 'daylight_v2.safetensors', 'midnight_v1.safetensors'];

const SAMPLERS = [
	'euler',
	'euler_cfg_pp',
	'euler_ancestral',
	'euler_ancestral_cfg_pp',
	'heun',
	'heunpp2',
	'exp_heun_2_x0',
	'exp_heun_2_x0_sde',
	'dpm_2',
	'dpm_2_ancestral',
	'lms',
	'dpm_fast',
	'dpm_adaptive',
	'dpmpp_2s_ancestral',
	'dpmpp_2s_ancestral_cfg_pp',
	'dpmpp_sde',
	'dpmpp_sde_gpu',
	'dpmpp_2m',
	'dpmpp_2m_cfg_pp',
	'dpmpp_2m_sde',
	'dpmpp_2m_sde_gpu',
	'dpmpp_2m_sde_heun',
	'dpmpp_2m_sde_heun_gpu',
	'dpmpp_3m_sde',
	'dpmpp_3m_sde_gpu',
	'ddpm',
	'lcm',
	'ipndm',
	'ipndm_v',
	'deis',
	'res_multistep',
	'res_multistep_cfg_pp',
	'res_multistep_ancestral',
	'res_multistep_ancestral_cfg_pp',
	'gradient_estimation',
	'gradient_estimation_cfg_pp',
	'er_sde',
	'seeds_2',
	'seeds_3',
	'sa_solver',
	'sa_solver_pece',
	'ddim',
	'uni_pc',
	'uni_pc_bh2',
];

const SCHEDULERS = ['simple', 'sgm_uniform', 'karras', 'exponential', 'ddim_uniform', 'beta', 'normal', 'linear_quadratic', 'kl_optimal'];

const latentEdge = shown(integer(16, MAX_RESOLUTION), { default: 512, step: 8 });
const linked = (type: 'MODEL' | 'CLIP' | 'VAE' | 'CONDITIONING' | 'LATENT') => shown(ofType(type), {});

const latentOf = (latent: Latent): Value[] => [{ type: 'LATENT', latent }];

const latentOfPictures = (pictures: Frame[]): Latent => {
	const frames = pictures.map(cropToWhole);
	const { width, height } = frames[0] as Frame;
	return { width, height, count: frames.length, frames };
};

/** The classes of ComfyUI's stock graphs: text to image, image to image, and inpainting, without a model. */
export const textToImage: Record<string, NodeClass> = {
	CheckpointLoaderSimple: {
		required: { ckpt_name: combo(...CHECKPOINTS) },
		outputs: ['MODEL', 'CLIP', 'VAE'],
		shown: { displayName: 'Load Checkpoint', category: 'model/loaders' },
		execute: (inputs) => (['MODEL', 'CLIP', 'VAE'] as const).map((type) => ({ type, checkpoint: inputs.text('ckpt_name') })),
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
		execute: (inputs) =>
			latentOf({
				width: roundToLatentSize(inputs.number('width')),
				height: roundToLatentSize(inputs.number('height')),
				count: inputs.number('batch_size'),
			}),
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
			const given = inputs.latent('latent_image');
			const frames = await Promise.all(toFrames(given).map(async (frame, index) => await sample(inputs, frame, index, given)));
			const pace = { steps: inputs.number('steps'), stepMs: context.samplerStepMs, seed: inputs.number('seed') };
			await showSteps(context, frames[0] as Frame, pace);
			return latentOf({ ...given, frames });
		},
	},
	VAEDecode: {
		required: { samples: linked('LATENT'), vae: linked('VAE') },
		outputs: ['IMAGE'],
		shown: { displayName: 'VAE Decode', category: 'model/latent' },
		execute: (inputs) => [{ type: 'IMAGE', frames: toFrames(inputs.latent('samples')) }],
	},
	VAEEncode: {
		required: { pixels: ofType('IMAGE'), vae: ofType('VAE') },
		outputs: ['LATENT'],
		shown: { displayName: 'VAE Encode', category: 'model/latent' },
		execute: (inputs) => latentOf(latentOfPictures(inputs.frames('pixels'))),
	},
	VAEEncodeForInpaint: {
		required: {
			pixels: ofType('IMAGE'),
			vae: ofType('VAE'),
			mask: ofType('MASK'),
			grow_mask_by: shown(integer(0, 64), { default: 6, step: 1 }),
		},
		outputs: ['LATENT'],
		shown: { displayName: 'VAE Encode (for Inpainting)', category: 'model/latent' },
		async execute(inputs) {
			const latent = latentOfPictures(inputs.frames('pixels'));
			const mask = await fitMask(inputs.mask('mask'), inputs.firstFrame('pixels'));
			return latentOf({ ...latent, noiseMask: growMask(mask, inputs.number('grow_mask_by')) });
		},
	},
	SetLatentNoiseMask: {
		required: { samples: ofType('LATENT'), mask: ofType('MASK') },
		outputs: ['LATENT'],
		shown: { displayName: 'Set Latent Noise Mask', category: 'model/latent' },
		execute: (inputs) => latentOf({ ...inputs.latent('samples'), noiseMask: inputs.mask('mask') }),
	},
};

/** Keeps the input where the mask excludes it, and otherwise in the share that `denoise` leaves. */
async function sample(inputs: NodeInputs, frame: Frame, index: number, { noiseMask }: Latent): Promise<Frame> {
	const { value, exact } = inputs.of('seed', 'INT');
	const painted = await paint({
		width: frame.width,
		height: frame.height,
		model: inputs.of('model', 'MODEL').checkpoint,
		prompt: inputs.of('positive', 'CONDITIONING').prompt,
		negative: inputs.of('negative', 'CONDITIONING').prompt,
		seed: `${exact ?? value}#${index}`,
		strokes: inputs.number('steps'),
		strength: inputs.number('cfg'),
		style: `${inputs.text('sampler_name')} ${inputs.text('scheduler')}`,
	});
	const mixed = blendFrames(frame, painted, inputs.number('denoise'), 'normal');
	return noiseMask === undefined ? mixed : mixByMask(frame, mixed, await fitMask(noiseMask, frame));
}
