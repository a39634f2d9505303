/** Nodes that change images. */
import { BLEND_MODES, blendFrames, type BlendMode, fitMask } from '../mixing';
import { combo, edge, float, namedCombo, type NodeClass, ofType } from '../nodeClass';
import { cropFrame, cropToShape, mapPixels, resizeFrame, SCALE_METHODS, type ScaleMethod } from '../pixels';
import type { Frame, MaskFrame, Value } from '../values';

const image = ofType('IMAGE');
const scaleMethod = combo(...SCALE_METHODS);

const images = (frames: Frame[]): Value[] => [{ type: 'IMAGE', frames }];

const fit = async (frame: Frame, like: Frame, method: ScaleMethod): Promise<Frame> =>
	await resizeFrame(cropToShape(frame, like.width, like.height), like.width, like.height, method);

/** A width or height of 0 keeps the aspect ratio; both 0 keep the size. */
function wantedSize(frame: Frame, width: number, height: number): [number, number] {
	if (width === 0 && height === 0) return [frame.width, frame.height];
	if (width === 0) return [Math.max(1, Math.round((frame.width * height) / frame.height)), height];
	if (height === 0) return [width, Math.max(1, Math.round((frame.height * width) / frame.width))];
	return [width, height];
}

export const imageNodes: Record<string, NodeClass> = {
	ImageScale: {
		required: { image, upscale_method: scaleMethod, width: edge(0), height: edge(0), crop: combo('disabled', 'center') },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const [width, height] = wantedSize(inputs.firstFrame('image'), inputs.number('width'), inputs.number('height'));
			const method = inputs.text('upscale_method') as ScaleMethod;
			const shaped = inputs.frames('image').map((frame) => (inputs.text('crop') === 'center' ? cropToShape(frame, width, height) : frame));
			return images(await Promise.all(shaped.map(async (frame) => await resizeFrame(frame, width, height, method))));
		},
	},
	ImageScaleBy: {
		required: { image, upscale_method: scaleMethod, scale_by: float(0.01, 8) },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const first = inputs.firstFrame('image');
			const [width, height] = [first.width, first.height].map((length) => Math.max(1, Math.round(length * inputs.number('scale_by')))) as [
				number,
				number,
			];
			const method = inputs.text('upscale_method') as ScaleMethod;
			return images(await Promise.all(inputs.frames('image').map(async (frame) => await resizeFrame(frame, width, height, method))));
		},
	},
	ImageInvert: {
		required: { image },
		outputs: ['IMAGE'],
		execute: (inputs) => images(inputs.frames('image').map((frame) => mapPixels(frame, (value) => 255 - value))),
	},
	ImageBlend: {
		required: { image1: image, image2: image, blend_factor: float(0, 1), blend_mode: namedCombo(...BLEND_MODES) },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const seconds = inputs.frames('image2');
			const blended = inputs.frames('image1').map(async (first, index) => {
				const second = await fit(seconds[index % seconds.length] as Frame, first, 'bicubic');
				return blendFrames(first, second, inputs.number('blend_factor'), inputs.text('blend_mode') as BlendMode);
			});
			return images(await Promise.all(blended));
		},
	},
	ImageBatch: {
		required: { image1: image, image2: image },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const first = inputs.firstFrame('image1');
			const fitted = await Promise.all(inputs.frames('image2').map(async (frame) => await fit(frame, first, 'bilinear')));
			return images([...inputs.frames('image1'), ...fitted]);
		},
	},
	ImageCrop: {
		required: { image, width: edge(), height: edge(), x: edge(0), y: edge(0) },
		outputs: ['IMAGE'],
		execute(inputs) {
			const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => inputs.number(name)) as [number, number, number, number];
			return images(inputs.frames('image').map((frame) => cropFrame(frame, x, y, width, height)));
		},
	},
};

// Under Jest, each lookup of a global costs more than the calculation. These run for every value of an image.
const { min, round } = Math;

/** ComfyUI's ImageCompositeMasked: places the source over the destination at (x, y), limited by the mask. */
export const compositing: Record<string, NodeClass> = {
	ImageCompositeMasked: {
		required: { destination: ofType('IMAGE'), source: ofType('IMAGE'), x: edge(0), y: edge(0), resize_source: ofType('BOOLEAN') },
		optional: { mask: ofType('MASK') },
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
