import { combo, of, type NodeClass } from '../nodeClass';
import { decodeImage, maskAsFrame } from '../pixels';
import type { MaskFrame } from '../values';

const CHANNELS = ['red', 'green', 'blue'];

export const loaders: Record<string, NodeClass> = {
	LoadImage: {
		required: { image: of('FILE') },
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
		required: { image: of('FILE'), channel: combo('alpha', ...CHANNELS) },
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
		required: { mask: of('MASK') },
		outputs: ['IMAGE'],
		execute: (inputs) => [{ type: 'IMAGE', frames: [maskAsFrame(inputs.mask('mask'))] }],
	},
};
