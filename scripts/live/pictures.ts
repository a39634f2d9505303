import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import type { ApiGraph, AssetReference } from '../../client';
import { assertThat } from './stage';

export const SIZE = { width: 48, height: 32 };
const SMALL = { width: 16, height: 16 };
const BIG = 1024;
const BIGGER = 2048;

const image = (node: string): [string, number] => [node, 0];
const scale = (from: string, upscale_method: string, width: number, height: number) => ({
	class_type: 'ImageScale',
	inputs: { image: image(from), upscale_method, width, height, crop: 'disabled' },
});
const save = (from: string, filename_prefix: string) => ({ class_type: 'SaveImage', inputs: { images: image(from), filename_prefix } });
const invert = (from: string) => ({ class_type: 'ImageInvert', inputs: { image: image(from) } });
const empty = (width: number, height: number, color: number) => ({
	class_type: 'EmptyImage',
	inputs: { width, height, batch_size: 1, color },
});

/** One color, made larger and inverted. */
export const colorGraph = (color: number, prefix: string, width = SIZE.width): ApiGraph => ({
	'1': empty(SMALL.width, SMALL.height, color),
	'2': scale('1', 'nearest-exact', width, SIZE.height),
	'3': invert('2'),
	'4': save('3', prefix),
});

/** An image that was uploaded, inverted. */
export const inversionGraph = (reference: AssetReference, prefix: string): ApiGraph => ({
	'1': { class_type: 'LoadImage', inputs: { image: reference } },
	'2': invert('1'),
	'3': save('2', prefix),
});

/** Keeps an engine busy, and leaves a small file. @param color makes it another graph, so that nothing is remembered. */
export function slowGraph(color: number, steps: number, prefix: string): ApiGraph {
	const scaled = Array.from({ length: steps }, (_, step) => {
		const edge = step % 2 === 0 ? BIGGER : BIG;
		return scale(String(step), 'lanczos', edge, edge);
	});
	const nodes = [
		empty(BIG, BIG, color),
		...scaled,
		scale(String(steps), 'nearest-exact', SMALL.width, SMALL.height),
		save(String(steps + 1), prefix),
	];
	return Object.fromEntries(nodes.map((node, place) => [String(place), node]));
}

export const UNKNOWN_CLASS = 'ThereIsNoSuchNode';
export const unknownClassGraph = (prefix: string): ApiGraph => ({ '1': { class_type: UNKNOWN_CLASS, inputs: {} }, '2': save('1', prefix) });

interface Pixels {
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
export async function readPixels(file: Buffer, channels: 3 | 4 = 3): Promise<Pixels> {
	const image = channels === 3 ? sharp(file).removeAlpha() : sharp(file).ensureAlpha();
	const { data, info } = await image.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
	return { data, size: `${info.width} x ${info.height}` };
}

/** @param tolerance an engine counts in fractions, so that a value may be off by one. */
export function assertSamePixels(expected: Pixels, actual: Pixels, tolerance = 0): void {
	assertThat(actual.size === expected.size, `the picture is ${actual.size}, not ${expected.size}`);
	const wrong = expected.data.findIndex((value, place) => Math.abs(value - (actual.data[place] ?? NaN)) > tolerance);
	assertThat(wrong < 0, `value ${wrong} of the pixels is ${actual.data[wrong]}, not ${expected.data[wrong]}`);
}

/** One color everywhere. */
export function solidColor(color: number): Pixels {
	const pixel = [color >> 16, color >> 8, color].map((value) => value & 0xff);
	const data = Buffer.alloc(SIZE.width * SIZE.height * 3, Buffer.from(pixel));
	return { data, size: `${SIZE.width} x ${SIZE.height}` };
}

export const invertPixels = ({ data, size }: Pixels): Pixels => ({ data: Buffer.from(data.map((value) => 255 - value)), size });
