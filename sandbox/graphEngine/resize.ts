import sharp from 'sharp';
import type { Frame } from './values';

// As in blend.ts: they are looked up for every value of a picture.
const { ceil, floor, round } = Math;

export const SCALE_METHODS = ['nearest-exact', 'bilinear', 'area', 'bicubic', 'lanczos'] as const;
export type ScaleMethod = (typeof SCALE_METHODS)[number];

const KERNELS = { bilinear: 'linear', bicubic: 'cubic', lanczos: 'lanczos3' } as const;

/** `nearest-exact` and `area` are computed here, pixel by pixel; the smooth methods are the image library's. */
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

/** Takes the pixel under the middle of each new one. */
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

/** The mean of every pixel the new one touches, rounded. */
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
