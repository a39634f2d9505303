import { fitMask } from '../masks';
import { edge, of, type NodeClass } from '../nodeClass';
import { resizeFrame } from '../resize';
import type { Frame, MaskFrame } from '../values';

// As in blend.ts: they are looked up for every value of a picture.
const { min, round } = Math;

/** ComfyUI's ImageCompositeMasked: the source is laid over the destination at (x, y), where the mask lets it. */
export const compositing: Record<string, NodeClass> = {
	ImageCompositeMasked: {
		required: { destination: of('IMAGE'), source: of('IMAGE'), x: edge(0), y: edge(0), resize_source: of('BOOLEAN') },
		optional: { mask: of('MASK') },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const sources = inputs.frames('source');
			const place = { x: inputs.number('x'), y: inputs.number('y') };
			const resize = inputs.of('resize_source', 'BOOLEAN').value;
			const mask = inputs.has('mask') ? inputs.mask('mask') : undefined;
			const frames = inputs.frames('destination').map(async (destination, index) => {
				const given = sources[index % sources.length] as Frame;
				const source = resize ? await resizeFrame(given, destination.width, destination.height, 'bilinear') : given;
				return layOver(destination, source, place, mask && (await fitMask(mask, source)));
			});
			return [{ type: 'IMAGE', frames: await Promise.all(frames) }];
		},
	},
};

function layOver(destination: Frame, source: Frame, { x, y }: { x: number; y: number }, mask: MaskFrame | undefined): Frame {
	const data = Buffer.from(destination.data);
	const width = min(source.width, destination.width - x);
	const height = min(source.height, destination.height - y);
	for (let row = 0; row < height; row++) {
		for (let column = 0; column < width; column++) {
			const from = row * source.width + column;
			const to = (y + row) * destination.width + x + column;
			const share = mask === undefined ? 1 : (mask.data[from] as number) / 255;
			for (let channel = 0; channel < 3; channel++) {
				const below = data[to * 3 + channel] as number;
				data[to * 3 + channel] = round(below + ((source.data[from * 3 + channel] as number) - below) * share);
			}
		}
	}
	return { ...destination, data };
}
