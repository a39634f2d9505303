/** Reads, writes and changes images. */
import sharp from 'sharp';
import { NodeFailure } from './nodeClass';
import type { Frame } from './values';

// Under Jest, each lookup of a global costs more than the calculation. These run for every value of an image.
const { max, min, round } = Math;

/** Decodes an image as upright 8-bit RGB. Transparency becomes the mask, as in ComfyUI's LoadImage. */
export async function decodeImage(bytes: Buffer): Promise<{ frame: Frame; mask: Frame }> {
	try {
		const upright = sharp(await sharp(bytes).rotate().toColourspace('srgb').ensureAlpha().png().toBuffer());
		const alpha = await upright.clone().extractChannel('alpha').negate().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
		const { width, height } = alpha.info;
		const mask = await sharp(alpha.data, { raw: { width, height, channels: 1 } })
			.toColourspace('srgb')
			.raw()
			.toBuffer();
		const data = await upright.removeAlpha().raw({ depth: 'uchar' }).toBuffer();
		return { frame: { width, height, data }, mask: { width, height, data: mask } };
	} catch (error) {
		throw new NodeFailure(
			'UnidentifiedImageError',
			`cannot identify image file: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
}

const rawOf = ({ data, width, height }: Frame) => sharp(data, { raw: { width, height, channels: 3 } });

/** Lossless. */
export const encodePng = async (frame: Frame): Promise<Buffer> => await rawOf(frame).png({ compressionLevel: 3 }).toBuffer();

export const encodeJpeg = async (frame: Frame): Promise<Buffer> => await rawOf(frame).jpeg({ quality: 70 }).toBuffer();

export const invertFrame = (frame: Frame): Frame => ({ ...frame, data: Buffer.from(frame.data.map((value) => 255 - value)) });

export function filledFrame(width: number, height: number, color: number): Frame {
	const data = Buffer.allocUnsafe(width * height * 3);
	data.fill(Buffer.from([(color >> 16) & 0xff, (color >> 8) & 0xff, color & 0xff]));
	return { width, height, data };
}

/** A part of the frame. */
export async function cropFrame(frame: Frame, left: number, top: number, width: number, height: number): Promise<Frame> {
	return { width, height, data: await rawOf(frame).extract({ left, top, width, height }).raw().toBuffer() };
}

/** ComfyUI's "center": crops the longer sides to the aspect ratio of the wanted size. */
export async function cropToShape(frame: Frame, width: number, height: number): Promise<Frame> {
	const share = (frame.width * height) / (frame.height * width);
	const x = share > 1 ? round((frame.width - frame.width / share) / 2) : 0;
	const y = share < 1 ? round((frame.height - frame.height * share) / 2) : 0;
	return await cropFrame(frame, x, y, frame.width - 2 * x, frame.height - 2 * y);
}

/** ComfyUI's methods. The image library has none for `area`. */
const KERNELS = { 'nearest-exact': 'nearest', bilinear: 'linear', area: 'linear', bicubic: 'cubic', lanczos: 'lanczos3' } as const;
export type ScaleMethod = keyof typeof KERNELS;
export const SCALE_METHODS = Object.keys(KERNELS) as ScaleMethod[];

export async function resizeFrame(frame: Frame, width: number, height: number, method: ScaleMethod): Promise<Frame> {
	if (frame.width === width && frame.height === height) return frame;
	const resized = rawOf(frame).resize(width, height, { fit: 'fill', kernel: KERNELS[method], fastShrinkOnLoad: false });
	return { width, height, data: await resized.raw().toBuffer() };
}

interface Overlay {
	x?: number;
	y?: number;
	/** How much of the second image is visible, from 0 to 1. */
	share?: number;
	/** Limits the region of the second image that is visible. It has the size of the second image. */
	mask?: Frame | undefined;
}

/** Places the second image over the first one. */
export function overlayFrames(first: Frame, second: Frame, { x = 0, y = 0, share = 1, mask }: Overlay): Frame {
	const data = Buffer.from(first.data);
	const width = max(0, min(second.width, first.width - x)) * 3;
	const height = min(second.height, first.height - y);
	for (let row = 0; row < height; row++) {
		const from = row * second.width * 3;
		const to = ((y + row) * first.width + x) * 3;
		for (let column = 0; column < width; column++) {
			const visible = mask === undefined ? share : (share * (mask.data[from + column] as number)) / 255;
			const below = data[to + column] as number;
			data[to + column] = round(below + ((second.data[from + column] as number) - below) * visible);
		}
	}
	return { ...first, data };
}
