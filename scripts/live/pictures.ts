import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { SIZE } from './graphs';
import { hold } from './report';

export interface Pixels {
	data: Buffer;
	size: string;
}

/** Random pixels without transparency, or with. */
export async function randomPicture(channels: 3 | 4 = 3): Promise<Buffer> {
	return await sharp(randomBytes(SIZE.width * SIZE.height * channels), { raw: { ...SIZE, channels } })
		.png()
		.toBuffer();
}

/** @param channels 3 leaves transparency out. */
export async function pixelsOf(file: Buffer, channels: 3 | 4 = 3): Promise<Pixels> {
	const image = channels === 3 ? sharp(file).removeAlpha() : sharp(file).ensureAlpha();
	const { data, info } = await image.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
	return { data, size: `${info.width} x ${info.height}` };
}

/** @param tolerance an engine counts in fractions, so that a value may be off by one. */
export function holdSame(expected: Pixels, actual: Pixels, tolerance = 0): void {
	hold(actual.size === expected.size, `the picture is ${actual.size}, not ${expected.size}`);
	const wrong = expected.data.findIndex((value, place) => Math.abs(value - (actual.data[place] ?? NaN)) > tolerance);
	hold(wrong < 0, `value ${wrong} of the pixels is ${actual.data[wrong]}, not ${expected.data[wrong]}`);
}

/** One color everywhere. */
export function filled(color: number): Pixels {
	const pixel = [color >> 16, color >> 8, color].map((value) => value & 0xff);
	const data = Buffer.alloc(SIZE.width * SIZE.height * 3, Buffer.from(pixel));
	return { data, size: `${SIZE.width} x ${SIZE.height}` };
}

export const negative = ({ data, size }: Pixels): Pixels => ({ data: Buffer.from(data.map((value) => 255 - value)), size });
