/** Reads, writes, crops and resizes images. */
import sharp from 'sharp';
import { NodeFailure } from './nodeClass';
import type { Frame, MaskFrame } from './values';

// Under Jest, each lookup of a global costs more than the calculation. These run for every value of an image.
const { ceil, floor, min, round } = Math;

/** Decodes an image as upright 8-bit RGB. Transparency becomes the mask, as in ComfyUI's LoadImage. */
export async function decodeImage(bytes: Buffer): Promise<{ frame: Frame; mask: MaskFrame }> {
	try {
		const { data, info } = await sharp(bytes)
			.rotate()
			.toColourspace('srgb')
			.ensureAlpha()
			.raw({ depth: 'uchar' })
			.toBuffer({ resolveWithObject: true });
		return splitAlpha(data, info.width, info.height);
	} catch (error) {
		throw new NodeFailure(
			'UnidentifiedImageError',
			`cannot identify image file: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
}

function splitAlpha(rgba: Buffer, width: number, height: number): { frame: Frame; mask: MaskFrame } {
	const pixels = width * height;
	const rgb = Buffer.allocUnsafe(pixels * 3);
	const mask = Buffer.allocUnsafe(pixels);
	for (let pixel = 0; pixel < pixels; pixel++) {
		rgb[pixel * 3] = rgba[pixel * 4] as number;
		rgb[pixel * 3 + 1] = rgba[pixel * 4 + 1] as number;
		rgb[pixel * 3 + 2] = rgba[pixel * 4 + 2] as number;
		mask[pixel] = 255 - (rgba[pixel * 4 + 3] as number);
	}
	return { frame: { width, height, data: rgb }, mask: { width, height, data: mask } };
}

const rawOf = (frame: Frame) => sharp(frame.data, { raw: { width: frame.width, height: frame.height, channels: 3 } });

/** Lossless. */
export const encodePng = async (frame: Frame): Promise<Buffer> => await rawOf(frame).png({ compressionLevel: 3 }).toBuffer();

export const encodeJpeg = async (frame: Frame): Promise<Buffer> => await rawOf(frame).jpeg({ quality: 70 }).toBuffer();

/** A mask as a gray image. */
export function maskAsFrame({ width, height, data }: MaskFrame): Frame {
	const rgb = Buffer.allocUnsafe(data.length * 3);
	for (let index = 0; index < rgb.length; index++) rgb[index] = data[floor(index / 3)] as number;
	return { width, height, data: rgb };
}

export const mapPixels = (frame: Frame, change: (value: number) => number): Frame => ({
	...frame,
	data: Buffer.from(frame.data.map(change)),
});

export function filledFrame(width: number, height: number, color: number): Frame {
	const data = Buffer.allocUnsafe(width * height * 3);
	data.fill(Buffer.from([(color >> 16) & 0xff, (color >> 8) & 0xff, color & 0xff]));
	return { width, height, data };
}

/** The part of a frame from (x, y), at most to the edges of the frame. */
export function cropFrame(frame: Frame, x: number, y: number, width: number, height: number): Frame {
	const left = min(x, frame.width - 1);
	const top = min(y, frame.height - 1);
	const right = min(left + width, frame.width);
	const bottom = min(top + height, frame.height);
	const rows: Buffer[] = [];
	for (let row = top; row < bottom; row++) {
		rows.push(frame.data.subarray((row * frame.width + left) * 3, (row * frame.width + right) * 3));
	}
	return { width: right - left, height: bottom - top, data: Buffer.concat(rows) };
}

/** ComfyUI's "center": crops the longer sides to the aspect ratio of the wanted size. */
export function cropToShape(frame: Frame, width: number, height: number): Frame {
	const aspect = frame.width / frame.height;
	const wanted = width / height;
	const x = aspect > wanted ? round((frame.width - frame.width * (wanted / aspect)) / 2) : 0;
	const y = aspect < wanted ? round((frame.height - frame.height * (aspect / wanted)) / 2) : 0;
	return cropFrame(frame, x, y, frame.width - 2 * x, frame.height - 2 * y);
}

export const SCALE_METHODS = ['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos'] as const;
export type ScaleMethod = (typeof SCALE_METHODS)[number];

const KERNELS = { bilinear: 'linear', bicubic: 'cubic', lanczos: 'lanczos3' } as const;

/** Computes `nearest-exact` and `area` here, and the smooth methods with the image library. */
export async function resizeFrame(frame: Frame, width: number, height: number, method: ScaleMethod): Promise<Frame> {
	if (frame.width === width && frame.height === height) return frame;
	if (method === 'nearest-exact') return nearest(frame, width, height);
	if (method === 'area') return area(frame, width, height);
	const data = await sharp(frame.data, { raw: { width: frame.width, height: frame.height, channels: 3 } })
		.resize(width, height, { fit: 'fill', kernel: KERNELS[method], fastShrinkOnLoad: false })
		.raw()
		.toBuffer();
	return { width, height, data };
}

/** Uses the source pixel under the center of each new pixel. */
function nearest(frame: Frame, width: number, height: number): Frame {
	const data = Buffer.allocUnsafe(width * height * 3);
	for (let y = 0; y < height; y++) {
		const fromY = floor(((y + 0.5) * frame.height) / height);
		for (let x = 0; x < width; x++) {
			const from = (fromY * frame.width + floor(((x + 0.5) * frame.width) / width)) * 3;
			frame.data.copy(data, (y * width + x) * 3, from, from + 3);
		}
	}
	return { width, height, data };
}

/** The rounded mean of all source pixels that the new pixel covers. */
function area(frame: Frame, width: number, height: number): Frame {
	const data = Buffer.allocUnsafe(width * height * 3);
	for (let y = 0; y < height; y++) {
		const rows = span(y, frame.height, height);
		for (let x = 0; x < width; x++) {
			const columns = span(x, frame.width, width);
			for (let channel = 0; channel < 3; channel++) data[(y * width + x) * 3 + channel] = mean(frame, rows, columns, channel);
		}
	}
	return { width, height, data };
}

const span = (at: number, from: number, to: number) => ({ start: floor((at * from) / to), end: ceil(((at + 1) * from) / to) });

function mean(frame: Frame, rows: { start: number; end: number }, columns: { start: number; end: number }, channel: number): number {
	let sum = 0;
	for (let y = rows.start; y < rows.end; y++) {
		for (let x = columns.start; x < columns.end; x++) sum += frame.data[(y * frame.width + x) * 3 + channel] as number;
	}
	return round(sum / ((rows.end - rows.start) * (columns.end - columns.start)));
}
