/** Nodes that load, make and change images. */
import { batchSize, combo, edge, float, integer, namedCombo, type NodeClass, ofType, shown } from '../nodeClass';
import { cropToShape, decodeImage, filledFrame, invertFrame, overlayFrames, resizeFrame, SCALE_METHODS, type ScaleMethod } from '../pixels';
import type { Frame, Value } from '../values';

const image = ofType('IMAGE');
const scaleMethod = combo(...SCALE_METHODS);
/** Each name starts with the factor by which the model enlarges an image. No such file exists. */
export const UPSCALE_MODELS = ['2x_photo.pth', '4x_drawing.pth'];

const images = (frames: Frame[]): Value[] => [{ type: 'IMAGE', frames }];

/** A width or height of 0 keeps the aspect ratio; both 0 keep the size. */
function wantedSize(frame: Frame, width: number, height: number): [number, number] {
	if (width === 0 && height === 0) return [frame.width, frame.height];
	if (width === 0) return [Math.max(1, Math.round((frame.width * height) / frame.height)), height];
	if (height === 0) return [width, Math.max(1, Math.round((frame.height * width) / frame.width))];
	return [width, height];
}

const scaled = async (frames: Frame[], factor: number, method: ScaleMethod): Promise<Value[]> =>
	images(
		await Promise.all(
			frames.map(async (frame) => {
				const [width, height] = [frame.width, frame.height].map((length) => Math.max(1, Math.round(length * factor))) as [number, number];
				return await resizeFrame(frame, width, height, method);
			}),
		),
	);

export const imageNodes: Record<string, NodeClass> = {
	LoadImage: {
		required: { image: ofType('FILE') },
		outputs: ['IMAGE', 'MASK'],
		async execute(inputs, { readInput }) {
			const { frame, mask } = await decodeImage(await readInput(inputs.of('image', 'FILE').reference));
			return [...images([frame]), { type: 'MASK', mask }];
		},
	},
	/** The sandbox reads only the alpha channel. */
	LoadImageMask: {
		required: { image: ofType('FILE'), channel: combo('alpha') },
		outputs: ['MASK'],
		async execute(inputs, { readInput }) {
			const { mask } = await decodeImage(await readInput(inputs.of('image', 'FILE').reference));
			return [{ type: 'MASK', mask }];
		},
	},
	MaskToImage: {
		required: { mask: ofType('MASK') },
		outputs: ['IMAGE'],
		execute: (inputs) => images([inputs.of('mask', 'MASK').mask]),
	},
	EmptyImage: {
		required: { width: edge(), height: edge(), batch_size: batchSize, color: integer(0, 0xffffff) },
		outputs: ['IMAGE'],
		execute(inputs) {
			const frame = filledFrame(inputs.number('width'), inputs.number('height'), inputs.number('color'));
			return images(Array.from({ length: inputs.number('batch_size') }, () => frame));
		},
	},
	ImageScale: {
		required: { image, upscale_method: scaleMethod, width: edge(0), height: edge(0), crop: combo('disabled', 'center') },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const [width, height] = wantedSize(inputs.firstFrame('image'), inputs.number('width'), inputs.number('height'));
			const fit = async (frame: Frame): Promise<Frame> => {
				const shaped = inputs.text('crop') === 'center' ? await cropToShape(frame, width, height) : frame;
				return await resizeFrame(shaped, width, height, inputs.text('upscale_method') as ScaleMethod);
			};
			return images(await Promise.all(inputs.frames('image').map(fit)));
		},
	},
	ImageScaleBy: {
		required: { image, upscale_method: scaleMethod, scale_by: float(0.01, 8) },
		outputs: ['IMAGE'],
		execute: (inputs) => scaled(inputs.frames('image'), inputs.number('scale_by'), inputs.text('upscale_method') as ScaleMethod),
	},
	UpscaleModelLoader: {
		required: { model_name: namedCombo(...UPSCALE_MODELS) },
		outputs: ['UPSCALE_MODEL'],
		shown: { displayName: 'Load Upscale Model', category: 'model/loaders' },
		execute: (inputs) => [{ type: 'UPSCALE_MODEL', factor: Number.parseInt(inputs.text('model_name'), 10) }],
	},
	ImageUpscaleWithModel: {
		required: { upscale_model: shown(ofType('UPSCALE_MODEL'), {}), image: shown(ofType('IMAGE'), {}) },
		outputs: ['IMAGE'],
		shown: { displayName: 'Upscale Image (using Model)', category: 'image/upscaling' },
		execute: (inputs) => scaled(inputs.frames('image'), inputs.of('upscale_model', 'UPSCALE_MODEL').factor, 'bicubic'),
	},
	ImageInvert: {
		required: { image },
		outputs: ['IMAGE'],
		execute: (inputs) => images(inputs.frames('image').map(invertFrame)),
	},
	ImageBatch: {
		required: { image1: image, image2: image },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const { width, height } = inputs.firstFrame('image1');
			const fitted = inputs
				.frames('image2')
				.map(async (frame) => await resizeFrame(await cropToShape(frame, width, height), width, height, 'bilinear'));
			return images([...inputs.frames('image1'), ...(await Promise.all(fitted))]);
		},
	},
	/** Places the source over the destination at (x, y), limited by the mask. */
	ImageCompositeMasked: {
		required: { destination: image, source: image, x: edge(0), y: edge(0), resize_source: ofType('BOOLEAN') },
		optional: { mask: ofType('MASK') },
		outputs: ['IMAGE'],
		async execute(inputs) {
			const sources = inputs.frames('source');
			const resize = inputs.of('resize_source', 'BOOLEAN').value;
			const mask = inputs.has('mask') ? inputs.of('mask', 'MASK').mask : undefined;
			const frames = inputs.frames('destination').map(async (destination, index) => {
				const given = sources[index % sources.length] as Frame;
				const source = resize ? await resizeFrame(given, destination.width, destination.height, 'bilinear') : given;
				const fitted = mask && (await resizeFrame(mask, source.width, source.height, 'bilinear'));
				return overlayFrames(destination, source, { x: inputs.number('x'), y: inputs.number('y'), mask: fitted });
			});
			return images(await Promise.all(frames));
		},
	},
};
