import { batchSize, edge, float, integer, of, type NodeClass } from '../nodeClass';
import { sine } from '../media/wav';
import { filledFrame } from '../pixels';

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
	EmptyLatentImage: {
		required: { width: edge(16), height: edge(16), batch_size: batchSize },
		outputs: ['LATENT'],
		execute(inputs) {
			const rows = Math.floor(inputs.number('height') / 8);
			const columns = Math.floor(inputs.number('width') / 8);
			const shape: [number, number, number, number] = [inputs.number('batch_size'), 4, rows, columns];
			return [{ type: 'LATENT', shape, samples: new Float32Array(shape[0] * 4 * rows * columns) }];
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
		required: { images: of('IMAGE'), fps: float(1, 120) },
		optional: { audio: of('AUDIO') },
		outputs: ['VIDEO'],
		execute: (inputs) => [{ type: 'VIDEO', frameCount: inputs.frames('images').length, fps: inputs.number('fps') }],
	},
	SandboxMesh: {
		required: {},
		outputs: ['MESH'],
		execute: () => [{ type: 'MESH', positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]) }],
	},
	PrimitiveString: {
		required: { value: of('STRING') },
		outputs: ['STRING'],
		execute: (inputs) => [{ type: 'STRING', value: inputs.text('value') }],
	},
	PrimitiveInt: {
		required: { value: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) },
		outputs: ['INT'],
		execute: (inputs) => [{ type: 'INT', value: inputs.number('value') }],
	},
};
