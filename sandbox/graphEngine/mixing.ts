/** Blends and masks images, and makes noise. */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Frame, MaskFrame } from './values';
import { maskAsFrame, resizeFrame } from './pixels';

// Under Jest, each lookup of a global costs more than the calculation. These run for every value of an image.
const { floor, max, min, round, sqrt } = Math;

/** On values from 0 to 1, as ComfyUI's ImageBlend defines them. */
const MODES = {
	normal: (_a: number, b: number) => b,
	multiply: (a: number, b: number) => a * b,
	screen: (a: number, b: number) => 1 - (1 - a) * (1 - b),
	overlay: (a: number, b: number) => (a <= 0.5 ? 2 * a * b : 1 - 2 * (1 - a) * (1 - b)),
	soft_light: (a: number, b: number) => (b <= 0.5 ? a - (1 - 2 * b) * a * (1 - a) : a + (2 * b - 1) * (lighter(a) - a)),
	difference: (a: number, b: number) => a - b,
};

const lighter = (a: number): number => (a <= 0.25 ? ((16 * a - 12) * a + 4) * a : sqrt(a));

export type BlendMode = keyof typeof MODES;
export const BLEND_MODES = Object.keys(MODES) as BlendMode[];

/** Mixes two frames of one size: `a * (1 - factor) + mode(a, b) * factor`, rounded to whole values. */
export function blendFrames(first: Frame, second: Frame, factor: number, mode: BlendMode): Frame {
	const blend = MODES[mode];
	const data = Buffer.allocUnsafe(first.data.length);
	for (let index = 0; index < data.length; index++) {
		const a = first.data[index] as number;
		const b = second.data[index] as number;
		const mixed = a * (1 - factor) + blend(a / 255, b / 255) * 255 * factor;
		data[index] = min(255, max(0, round(mixed)));
	}
	return { ...first, data };
}

export async function fitMask(mask: MaskFrame, { width, height }: Pick<Frame, 'width' | 'height'>): Promise<MaskFrame> {
	const { data } = await resizeFrame(maskAsFrame(mask), width, height, 'bilinear');
	return { width, height, data: data.filter((_value, index) => index % 3 === 0) as Buffer };
}

/** Each masked pixel becomes a square with an edge of `2 * pixels + 1`. */
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

/** The second frame inside of the mask, the first one outside. */
export function mixByMask(first: Frame, second: Frame, mask: MaskFrame): Frame {
	const data = Buffer.allocUnsafe(first.data.length);
	for (let place = 0; place < data.length; place++) {
		const below = first.data[place] as number;
		data[place] = round(below + (((second.data[place] as number) - below) * (mask.data[floor(place / 3)] as number)) / 255);
	}
	return { ...first, data };
}

export const CHUNK_BYTES = 1024 * 1024;

/** Xorshift: the same bytes for the same seed on all machines. */
function fillWithNoise(data: Buffer, seed: number): void {
	let state = (seed ^ 0x9e3779b9) | 0 || 1;
	for (let offset = 0; offset < data.length; offset++) {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		data[offset] = state & 0xff;
	}
}

export function noiseFrame(width: number, height: number, seed: number): Frame {
	const data = Buffer.allocUnsafe(width * height * 3);
	fillWithNoise(data, seed);
	return { width, height, data };
}

/** Noise in chunks. Each begins with its number, so that no two chunks are equal. */
export async function* deterministicChunks(
	seed: number,
	totalBytes: number,
	chunkBytes: number,
	signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
	const pattern = Buffer.allocUnsafe(chunkBytes);
	fillWithNoise(pattern, seed);
	for (let sent = 0, number = 0; sent < totalBytes; sent += chunkBytes, number++) {
		await letOthersRun();
		signal.throwIfAborted();
		const chunk = Buffer.from(pattern.subarray(0, Math.min(chunkBytes, totalBytes - sent)));
		chunk.writeUInt32LE(number, 0);
		yield chunk;
	}
}
