import { BLEND_MODES, blendFrames, type BlendMode } from '../blend';
import { combo, edge, float, namedCombo, of, type NodeClass } from '../nodeClass';
import { cropFrame, cropToShape, mapPixels } from '../pixels';
import { resizeFrame, SCALE_METHODS, type ScaleMethod } from '../resize';
import type { Frame, Value } from '../values';

const image = of('IMAGE');
const scaleMethod = combo(...SCALE_METHODS);

const images = (frames: Frame[]): Value[] => [{ type: 'IMAGE', frames }];

const fit = async (frame: Frame, like: Frame, method: ScaleMethod): Promise<Frame> =>
	await resizeFrame(cropToShape(frame, like.width, like.height), like.width, like.height, method);

/** A width or height of 0 follows the other; both 0 keep the size. */
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
