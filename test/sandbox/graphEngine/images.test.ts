import { randomBytes } from 'node:crypto';
import { node, pixelsOf, pngOf, run, save, solid, type Pixels } from './harness';
import type { ApiGraph } from '../../../sandbox/graphEngine';

async function picture(graph: ApiGraph, files: Record<string, Buffer> = {}): Promise<Pixels> {
	const { result, outputs } = await run({ ...graph, save: save('it') }, { files });
	expect(result).toEqual({ status: 'succeeded' });
	return await pixelsOf(outputs[0]?.bytes as Buffer);
}

const load = node('LoadImage', { image: 'in.png' });
const invert = (from: string, slot = 0) => node('ImageInvert', { image: [from, slot] });

test('every pixel of an inverted random image is 255 minus the original', async () => {
	const rgb = [...randomBytes(37 * 23 * 3)];
	const files = { 'in.png': await pngOf(37, 23, 3, rgb) };
	expect(await picture({ load, it: invert('load') }, files)).toEqual({ width: 37, height: 23, rgb: rgb.map((value) => 255 - value) });
});

test('transparency becomes a mask and leaves the colors alone', async () => {
	const files = { 'in.png': await pngOf(2, 1, 4, [10, 20, 30, 255, 40, 50, 60, 55]) };
	expect((await picture({ it: load }, files)).rgb).toEqual([10, 20, 30, 40, 50, 60]);
	const mask = { load, it: node('MaskToImage', { mask: ['load', 1] }) };
	expect((await picture(mask, files)).rgb).toEqual([0, 0, 0, 200, 200, 200]);
});

test.each([
	['alpha', [0, 0, 0, 200, 200, 200]],
	['green', [20, 20, 20, 50, 50, 50]],
])('a mask is loaded from the %s channel', async (channel, rgb) => {
	const files = { 'in.png': await pngOf(2, 1, 4, [10, 20, 30, 255, 40, 50, 60, 55]) };
	const graph = { mask: node('LoadImageMask', { image: 'in.png', channel }), it: node('MaskToImage', { mask: ['mask', 0] }) };
	expect((await picture(graph, files)).rgb).toEqual(rgb);
});

test('an empty image has its color', async () => {
	expect(await picture({ it: solid(2, 1, 0xff8001) })).toEqual({ width: 2, height: 1, rgb: [255, 128, 1, 255, 128, 1] });
});

const scale = (method: string, width: number, height: number, crop = 'disabled') =>
	node('ImageScale', { image: ['load', 0], upscale_method: method, width, height, crop });

test('nearest-exact repeats pixels', async () => {
	const files = { 'in.png': await pngOf(2, 1, 3, [1, 2, 3, 7, 8, 9]) };
	expect((await picture({ load, it: scale('nearest-exact', 4, 1) }, files)).rgb).toEqual([1, 2, 3, 1, 2, 3, 7, 8, 9, 7, 8, 9]);
});

test('nearest-exact takes the middle of what each new row covers', async () => {
	const files = { 'in.png': await pngOf(1, 3, 3, [1, 1, 1, 2, 2, 2, 3, 3, 3]) };
	expect((await picture({ load, it: scale('nearest-exact', 1, 2) }, files)).rgb).toEqual([1, 1, 1, 3, 3, 3]);
});

test('area counts every pixel that a new one touches', async () => {
	const files = { 'in.png': await pngOf(3, 1, 3, [0, 0, 0, 30, 30, 30, 90, 90, 90]) };
	expect((await picture({ load, it: scale('area', 2, 1) }, files)).rgb).toEqual([15, 15, 15, 60, 60, 60]);
});

test('area takes the mean', async () => {
	const files = { 'in.png': await pngOf(2, 2, 3, [0, 0, 0, 100, 0, 0, 0, 100, 0, 100, 100, 50]) };
	expect((await picture({ load, it: scale('area', 1, 1) }, files)).rgb).toEqual([50, 50, 13]);
});

test.each(['bilinear', 'bicubic', 'lanczos'])('%s keeps a single color and gives the wanted size', async (method) => {
	const size = { load: solid(9, 5, 0x336699), it: scale(method, 20, 4) };
	expect(await picture(size)).toEqual({ width: 20, height: 4, rgb: Array.from({ length: 80 }, () => [0x33, 0x66, 0x99]).flat() });
});

test('center cropping keeps the middle; a side of 0 follows the other', async () => {
	const files = { 'in.png': await pngOf(4, 2, 3, Array.from({ length: 8 }, (_, pixel) => [pixel, pixel, pixel]).flat()) };
	expect((await picture({ load, it: scale('nearest-exact', 2, 2, 'center') }, files)).rgb).toEqual(
		[1, 2, 5, 6].flatMap((value) => [value, value, value]),
	);
	expect(await picture({ load, it: scale('nearest-exact', 0, 4) }, files)).toMatchObject({ width: 8, height: 4 });
});

test('scaling by a factor', async () => {
	const graph = { load: solid(10, 6, 0), it: node('ImageScaleBy', { image: ['load', 0], upscale_method: 'area', scale_by: 0.5 }) };
	expect(await picture(graph)).toMatchObject({ width: 5, height: 3 });
});

test.each([
	['normal', 0.25, [85, 78, 205]],
	['multiply', 1, [16, 22, 173]],
	['screen', 1, [124, 128, 247]],
	['overlay', 1, [31, 44, 240]],
	['soft_light', 1, [58, 55, 219]],
	['difference', 1, [60, 10, 0]],
])('blending in mode %s', async (mode, factor, rgb) => {
	const blend = node('ImageBlend', { image1: ['a', 0], image2: ['b', 0], blend_factor: factor, blend_mode: mode });
	expect((await picture({ a: solid(1, 1, 0x6450c8), b: solid(1, 1, 0x2846dc), it: blend })).rgb).toEqual(rgb);
});

test('a batch takes the size of its first image, and each image is saved under the next number', async () => {
	const graph = {
		a: solid(2, 2, 0xff0000),
		b: solid(8, 4, 0x0000ff),
		it: node('ImageBatch', { image1: ['a', 0], image2: ['b', 0] }),
		save: save('it'),
	};
	const { outputs } = await run(graph);
	expect(outputs.map(({ name }) => name)).toEqual(['out_00001_.png', 'out_00002_.png']);
	expect(await pixelsOf(outputs[1]?.bytes as Buffer)).toEqual({ width: 2, height: 2, rgb: [0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 255] });
});

test('cropping ends where the image does', async () => {
	const files = { 'in.png': await pngOf(3, 2, 3, Array.from({ length: 6 }, (_, pixel) => [pixel, 0, 0]).flat()) };
	const graph = { load, it: node('ImageCrop', { image: ['load', 0], width: 5, height: 1, x: 1, y: 1 }) };
	expect(await picture(graph, files)).toEqual({ width: 2, height: 1, rgb: [4, 0, 0, 5, 0, 0] });
});

test('bytes that are no image fail the node that loads them', async () => {
	const { result } = await run({ load, save: save('load') }, { files: { 'in.png': Buffer.from('not an image') } });
	expect(result).toMatchObject({
		status: 'failed',
		error: { node_id: 'load', class_type: 'LoadImage', exception_type: 'UnidentifiedImageError' },
	});
});
