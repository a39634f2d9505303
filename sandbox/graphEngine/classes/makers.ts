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
};
