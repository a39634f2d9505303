/** Nodes that save files of all kinds. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeJson } from '../../json';
import { encodeGlb, encodeSafetensors, encodeWav, addPngText } from '../fileFormats';
import { combo, type NodeClass, type NodeContext, ofType } from '../nodeClass';
import { encodePng } from '../pixels';
import type { Frame, Value } from '../values';
import { toTensor } from '../sampling';

/** Output nodes for images and text. */
export const savers: Record<string, NodeClass> = {
	SaveImage: {
		required: { images: ofType('IMAGE'), filename_prefix: ofType('STRING') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writePictures(context, inputs.frames('images'), inputs.text('filename_prefix'), false),
	},
	PreviewImage: {
		required: { images: ofType('IMAGE') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writePictures(context, inputs.frames('images'), 'ComfyUI_temp', true),
	},
	/** Sends its images over the socket, and reports no file. */
	SaveImageWebsocket: {
		required: { images: ofType('IMAGE') },
		outputs: [],
		isOutput: true,
		execute: () => Promise.resolve([]),
	},
	/** Reports the path of a 3D model and the view of it. */
	Preview3D: {
		required: { model_file: ofType('STRING') },
		outputs: [],
		isOutput: true,
		execute(inputs, { report }) {
			report({ result: [inputs.text('model_file'), null] });
			return Promise.resolve([]);
		},
	},
	SaveText: {
		required: { text: ofType('STRING'), filename_prefix: ofType('STRING') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writeText(context, inputs.text('text'), inputs.text('filename_prefix'), false),
	},
	PreviewAny: {
		required: { source: ofType('*') },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writeText(context, describe(inputs.any('source')), 'preview', true),
	},
};

async function writePictures(context: NodeContext, frames: Frame[], prefix: string, temporary: boolean): Promise<Value[]> {
	for (const frame of frames) {
		const bytes = addPngText(await encodePng(frame), 'prompt', writeJson(context.graph));
		await context.write({ ...context.nextName(prefix, 'png'), kind: 'image', temporary, contentType: 'image/png', bytes });
	}
	return [];
}

async function writeText(context: NodeContext, text: string, prefix: string, temporary: boolean): Promise<Value[]> {
	const shown = temporary ? { plainText: text } : {};
	await context.write({
		...context.nextName(prefix, 'txt'),
		...shown,
		kind: 'text',
		temporary,
		contentType: 'text/plain',
		bytes: Buffer.from(text, 'utf8'),
	});
	return [];
}

function describe(value: Value): string {
	if (value.type === 'INT') return String(value.exact ?? value.value);
	if (value.type === 'BOOLEAN') return value.value ? 'True' : 'False';
	if ('value' in value) return String(value.value);
	if (value.type === 'IMAGE') return value.frames.map(({ width, height }) => `image ${width}x${height}`).join(', ');
	return value.type.toLowerCase();
}

/** One second of H.264. The sandbox does not encode video: every video has these bytes. */
const CLIP = join(__dirname, '..', 'fixtures', 'clip.mp4');

const prefix = ofType('STRING');

/** Output nodes for everything that is not an image. */
export const saveMedia: Record<string, NodeClass> = {
	SaveVideo: {
		required: { video: ofType('VIDEO'), filename_prefix: prefix, format: combo('auto', 'mp4'), codec: combo('auto', 'h264') },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const named = nextName(inputs.text('filename_prefix'), 'mp4');
			await write({ ...named, kind: 'video', temporary: false, contentType: 'video/mp4', bytes: await readFile(CLIP) });
			return [];
		},
	},
	SaveAudio: {
		required: { audio: ofType('AUDIO'), filename_prefix: prefix },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const named = nextName(inputs.text('filename_prefix'), 'wav');
			await write({ ...named, kind: 'audio', temporary: false, contentType: 'audio/wav', bytes: encodeWav(inputs.audio('audio')) });
			return [];
		},
	},
	SaveLatent: {
		required: { samples: ofType('LATENT'), filename_prefix: prefix },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const bytes = encodeSafetensors({
				latent_tensor: await toTensor(inputs.latent('samples')),
				latent_format_version_0: { shape: [0], values: new Float32Array() },
			});
			const named = nextName(inputs.text('filename_prefix'), 'latent');
			await write({ ...named, kind: 'latent', temporary: false, contentType: 'application/octet-stream', bytes });
			return [];
		},
	},
	SaveGLB: {
		required: { mesh: ofType('MESH'), filename_prefix: prefix },
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
