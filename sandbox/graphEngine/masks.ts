import { maskAsFrame } from './pixels';
import { resizeFrame } from './resize';
import type { Frame, MaskFrame } from './values';

// As in blend.ts: they are looked up for every value of a picture.
const { floor, max, min, round } = Math;

export async function fitMask(mask: MaskFrame, { width, height }: Pick<Frame, 'width' | 'height'>): Promise<MaskFrame> {
	const { data } = await resizeFrame(maskAsFrame(mask), width, height, 'bilinear');
	return { width, height, data: data.filter((_value, index) => index % 3 === 0) as Buffer };
}

/** Every masked place becomes a square of `2 * pixels + 1`. */
export const growMask = (mask: MaskFrame, pixels: number): MaskFrame => growAlong(growAlong(mask, pixels, 'x'), pixels, 'y');

function growAlong({ width, height, data }: MaskFrame, pixels: number, axis: 'x' | 'y'): MaskFrame {
	const grown = Buffer.from(data);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const value = data[y * width + x] as number;
			if (value === 0) continue;
			const [at, end] = axis === 'x' ? [x, width] : [y, height];
			for (let other = max(0, at - pixels); other < min(end, at + pixels + 1); other++) {
				const place = axis === 'x' ? y * width + other : other * width + x;
				if ((grown[place] as number) < value) grown[place] = value;
			}
		}
	}
	return { width, height, data: grown };
}

/** The second frame where the mask is, the first one elsewhere. */
export function mixByMask(first: Frame, second: Frame, mask: MaskFrame): Frame {
	const data = Buffer.allocUnsafe(first.data.length);
	for (let place = 0; place < data.length; place++) {
		const below = first.data[place] as number;
		data[place] = round(below + (((second.data[place] as number) - below) * (mask.data[floor(place / 3)] as number)) / 255);
	}
	return { ...first, data };
}
