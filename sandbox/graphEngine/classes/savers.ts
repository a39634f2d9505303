/** Nodes that save files of all kinds, and those that make what is saved. */
import { writeJson } from '../../json';
import { addPngText, readClip, readLatent, readMesh, readTone } from '../fileFormats';
import { combo, float, type NodeClass, type NodeContext, type NodeInputs, ofType } from '../nodeClass';
import { encodePng } from '../pixels';
import type { EngineOutput } from '../types';
import type { Value } from '../values';

const image = ofType('IMAGE');
const prefix = ofType('STRING');

/** An output node that writes one file, whose name begins with `filename_prefix`. */
const saver = (
	required: NodeClass['required'],
	file: Pick<EngineOutput, 'kind' | 'contentType'> & { extension: string },
	encode: (inputs: NodeInputs) => Promise<Buffer> | Buffer,
): NodeClass => ({
	required: { ...required, filename_prefix: prefix },
	outputs: [],
	isOutput: true,
	async execute(inputs, { nextName, write }) {
		const { extension, ...rest } = file;
		await write({ ...nextName(inputs.text('filename_prefix'), extension), ...rest, temporary: false, bytes: await encode(inputs) });
		return [];
	},
});

export const savers: Record<string, NodeClass> = {
	SaveImage: {
		required: { images: image, filename_prefix: prefix },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writeImages(context, inputs, inputs.text('filename_prefix'), false),
	},
	PreviewImage: {
		required: { images: image },
		outputs: [],
		isOutput: true,
		execute: async (inputs, context) => await writeImages(context, inputs, 'ComfyUI_temp', true),
	},
	/** Sends its images over the socket, and reports no file. */
	SaveImageWebsocket: { required: { images: image }, outputs: [], isOutput: true, execute: () => [] },
	/** Reports the path of a 3D model and the view of it. */
	Preview3D: {
		required: { model_file: ofType('STRING') },
		outputs: [],
		isOutput: true,
		execute(inputs, { emit }) {
			emit({ kind: 'results', results: { result: [inputs.text('model_file'), null] } });
			return [];
		},
	},
	/** Reports its text, in addition to the file. */
	PreviewAny: {
		required: { source: ofType('*') },
		outputs: [],
		isOutput: true,
		async execute(inputs, { nextName, write }) {
			const plainText = describe(inputs.any('source'));
			const named = nextName('preview', 'txt');
			await write({ ...named, plainText, kind: 'text', temporary: true, contentType: 'text/plain', bytes: Buffer.from(plainText, 'utf8') });
			return [];
		},
	},
	SaveText: saver({ text: ofType('STRING') }, { kind: 'text', contentType: 'text/plain', extension: 'txt' }, (inputs) =>
		Buffer.from(inputs.text('text'), 'utf8'),
	),
	SaveVideo: saver(
		{ video: ofType('VIDEO'), format: combo('auto', 'mp4'), codec: combo('auto', 'h264') },
		{ kind: 'video', contentType: 'video/mp4', extension: 'mp4' },
		readClip,
	),
	SaveAudio: saver({ audio: ofType('AUDIO') }, { kind: 'audio', contentType: 'audio/wav', extension: 'wav' }, readTone),
	SaveLatent: saver(
		{ samples: ofType('LATENT') },
		{ kind: 'latent', contentType: 'application/octet-stream', extension: 'latent' },
		readLatent,
	),
	SaveGLB: saver({ mesh: ofType('MESH') }, { kind: 'file', contentType: 'model/gltf-binary', extension: 'glb' }, readMesh),
};

/** Nodes that make audio, videos and meshes. */
export const makers: Record<string, NodeClass> = {
	SandboxTone: { required: {}, outputs: ['AUDIO'], execute: () => [{ type: 'AUDIO' }] },
	CreateVideo: {
		required: { images: image, fps: float(1, 120) },
		optional: { audio: ofType('AUDIO') },
		outputs: ['VIDEO'],
		execute: () => [{ type: 'VIDEO' }],
	},
	SandboxMesh: { required: {}, outputs: ['MESH'], execute: () => [{ type: 'MESH' }] },
};

async function writeImages(context: NodeContext, inputs: NodeInputs, named: string, temporary: boolean): Promise<Value[]> {
	for (const frame of inputs.frames('images')) {
		const picture = await encodePng(frame);
		const withFile = context.editorFile === undefined ? picture : addPngText(picture, 'workflow', writeJson(context.editorFile));
		const bytes = addPngText(withFile, 'prompt', writeJson(context.graph));
		await context.write({ ...context.nextName(named, 'png'), kind: 'image', temporary, contentType: 'image/png', bytes });
	}
	return [];
}

function describe(value: Value): string {
	if (value.type === 'INT') return String(value.exact ?? value.value);
	if (value.type === 'BOOLEAN') return value.value ? 'True' : 'False';
	if ('value' in value) return String(value.value);
	return value.type.toLowerCase();
}
