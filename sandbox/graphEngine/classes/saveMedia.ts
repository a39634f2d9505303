import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { combo, of, type NodeClass } from '../nodeClass';
import { encodeGlb } from '../media/glb';
import { tensorOf } from '../latents';
import { encodeSafetensors } from '../media/safetensors';
import { encodeWav } from '../media/wav';

/** One second of H.264: encoding video is no business of a stand-in, so every video has these bytes. */
const CLIP = join(__dirname, '..', 'fixtures', 'clip.mp4');

const prefix = of('STRING');

/** Output nodes for everything that is no picture. */
export const saveMedia: Record<string, NodeClass> = {
	SaveVideo: {
		required: { video: of('VIDEO'), filename_prefix: prefix, format: combo('auto', 'mp4'), codec: combo('auto', 'h264') },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const named = nextName(inputs.text('filename_prefix'), 'mp4');
			await write({ ...named, kind: 'video', temporary: false, contentType: 'video/mp4', bytes: await readFile(CLIP) });
			return [];
		},
	},
	SaveAudio: {
		required: { audio: of('AUDIO'), filename_prefix: prefix },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const named = nextName(inputs.text('filename_prefix'), 'wav');
			await write({ ...named, kind: 'audio', temporary: false, contentType: 'audio/wav', bytes: encodeWav(inputs.audio('audio')) });
			return [];
		},
	},
	SaveLatent: {
		required: { samples: of('LATENT'), filename_prefix: prefix },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const bytes = encodeSafetensors({
				latent_tensor: await tensorOf(inputs.latent('samples')),
				latent_format_version_0: { shape: [0], values: new Float32Array() },
			});
			const named = nextName(inputs.text('filename_prefix'), 'latent');
			await write({ ...named, kind: 'latent', temporary: false, contentType: 'application/octet-stream', bytes });
			return [];
		},
	},
	SaveGLB: {
		required: { mesh: of('MESH'), filename_prefix: prefix },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const bytes = encodeGlb(inputs.of('mesh', 'MESH').positions);
			await write({
				...nextName(inputs.text('filename_prefix'), 'glb'),
				kind: 'file',
				temporary: false,
				contentType: 'model/gltf-binary',
				bytes,
			});
			return [];
		},
	},
};
