/** Nodes without linked inputs: loaders, makers and primitive values. */
import { batchSize, combo, edge, float, type InputSpec, integer, type NodeClass, ofType, shown } from '../nodeClass';
import { decodeImage, filledFrame, maskAsFrame } from '../pixels';
import type { MaskFrame, Value } from '../values';
import { sine } from '../fileFormats';

const CHANNELS = ['red', 'green', 'blue'];

export const loaders: Record<string, NodeClass> = {
	LoadImage: {
		required: { image: ofType('FILE') },
		outputs: ['IMAGE', 'MASK'],
		async execute(inputs, { readInput }) {
			const { frame, mask } = await decodeImage(await readInput(inputs.of('image', 'FILE').reference));
			return [
				{ type: 'IMAGE', frames: [frame] },
				{ type: 'MASK', mask },
			];
		},
	},
	LoadImageMask: {
		required: { image: ofType('FILE'), channel: combo('alpha', ...CHANNELS) },
		outputs: ['MASK'],
		async execute(inputs, { readInput }) {
			const { frame, mask } = await decodeImage(await readInput(inputs.of('image', 'FILE').reference));
			const channel = CHANNELS.indexOf(inputs.text('channel'));
			const chosen: MaskFrame =
				channel < 0 ? mask : { ...mask, data: Buffer.from(mask.data.map((_, pixel) => frame.data[pixel * 3 + channel] as number)) };
			return [{ type: 'MASK', mask: chosen }];
		},
	},
	MaskToImage: {
		required: { mask: ofType('MASK') },
		outputs: ['IMAGE'],
		execute: (inputs) => [{ type: 'IMAGE', frames: [maskAsFrame(inputs.mask('mask'))] }],
	},
};

/** Nodes that make something from nothing. */
export const makers: Record<string, NodeClass> = {
	EmptyImage: {
		required: { width: edge(), height: edge(), batch_size: batchSize, color: integer(0, 0xffffff) },
		outputs: ['IMAGE'],
		execute(inputs) {
			const frame = filledFrame(inputs.number('width'), inputs.number('height'), inputs.number('color'));
			return [{ type: 'IMAGE', frames: Array.from({ length: inputs.number('batch_size') }, () => frame) }];
		},
	},
	EmptyAudio: {
		required: { duration: float(0, 600), sample_rate: integer(1, 192_000), channels: integer(1, 2) },
		outputs: ['AUDIO'],
		execute(inputs) {
			const [sampleRate, channels] = [inputs.number('sample_rate'), inputs.number('channels')];
			const samples = new Int16Array(Math.round(inputs.number('duration') * sampleRate) * channels);
			return [{ type: 'AUDIO', audio: { sampleRate, channels, samples } }];
		},
	},
	SandboxTone: {
		required: { frequency: float(20, 20_000), duration: float(0, 600) },
		outputs: ['AUDIO'],
		execute: (inputs) => [{ type: 'AUDIO', audio: sine(inputs.number('frequency'), inputs.number('duration')) }],
	},
	CreateVideo: {
		required: { images: ofType('IMAGE'), fps: float(1, 120) },
		optional: { audio: ofType('AUDIO') },
		outputs: ['VIDEO'],
		execute: (inputs) => [{ type: 'VIDEO', frameCount: inputs.frames('images').length, fps: inputs.number('fps') }],
	},
	SandboxMesh: {
		required: {},
		outputs: ['MESH'],
		execute: () => [{ type: 'MESH', positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]) }],
	},
};

const LARGEST = 2n ** 63n - 1n;

/** Single values. */
export const primitives: Record<string, NodeClass> = {
	PrimitiveString: primitive('STRING', 'Text', shown(ofType('STRING'), { multiline: false })),
	PrimitiveStringMultiline: primitive('STRING', 'Text (Multiline)', shown(ofType('STRING'), { multiline: true })),
	PrimitiveInt: primitive('INT', 'Int', shown(integer(-LARGEST, LARGEST), { control_after_generate: 'fixed' })),
	PrimitiveFloat: primitive('FLOAT', 'Float', shown(float(-LARGEST, LARGEST), { step: 0.1 })),
	PrimitiveBoolean: primitive('BOOLEAN', 'Boolean', shown(ofType('BOOLEAN'), {})),
};

function primitive(type: Value['type'], displayName: string, value: InputSpec): NodeClass {
	return {
		required: { value },
		outputs: [type],
		shown: { displayName, category: 'utilities/primitive', module: 'comfy_extras.nodes_primitive' },
		execute: (inputs) => [inputs.any('value')],
	};
}
