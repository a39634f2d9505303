/** Pictures and clips of partner models, delivered as links in JSON of each provider's own shape. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLosslessNumber, writeJson, type LosslessNumber } from '../../exactJson';
import { digest } from '../../ledger';
import { noiseFrame } from '../../graphEngine/noise';
import { encodePng } from '../../graphEngine/pixels';
import type { GenerateContext, Generated, JsonObject, Model } from '../model';

const CLIP = join(__dirname, '..', '..', 'graphEngine', 'fixtures', 'clip.mp4');

interface Picture {
	bytes: Buffer;
	width: number;
	height: number;
}

/** Told as it came. */
type Seed = number | LosslessNumber;

type Shape = (pictures: Picture[], context: GenerateContext, seed: Seed) => Promise<unknown>;

/** How providers wrap their pictures. */
const SHAPES: readonly Shape[] = [
	async (pictures, context, seed) => ({
		images: await Promise.all(
			pictures.map(async ({ bytes, ...size }) => ({ url: await context.store(bytes, 'image/png'), ...size, content_type: 'image/png' })),
		),
		seed,
	}),
	async (pictures, context) => ({
		created: 1_700_000_000,
		data: await Promise.all(pictures.map(async ({ bytes }) => ({ url: await context.store(bytes, 'image/png') }))),
	}),
	async ([picture], context, seed) => ({
		id: `gen-${String(seed)}`,
		status: 'Ready',
		result: { sample: picture === undefined ? null : await context.store(picture.bytes, 'image/png'), seed },
	}),
	async ([picture], context) => ({ output: picture === undefined ? null : await context.store(picture.bytes, 'image/png') }),
	async (pictures, _context, seed) => ({ data: pictures.map(({ bytes }) => ({ b64_json: bytes.toString('base64') })), seed }),
];

/** @param shape which of the wrappings, counted on from the last to the first again. */
export const picturesAs =
	(shape: number): Model['generate'] =>
	async (input, context) => {
		const seed = seedOf(input);
		const { width, height } = sizeOf(input);
		const pictures = await Promise.all(
			Array.from({ length: Number(input.num_images ?? 1) }, async (_, index): Promise<Picture> => ({
				bytes: await encodePng(noiseFrame(width, height, Number(String(seed)) + index)),
				width,
				height,
			})),
		);
		return json(await SHAPES[shape % SHAPES.length]?.(pictures, context, seed));
	};

export const clip: Model['generate'] = async (input, context) => {
	const seed = seedOf(input);
	return json({
		id: `task-${String(seed)}`,
		status: 'succeeded',
		content: { video_url: await context.store(await readFile(CLIP), 'video/mp4') },
		duration: input.duration ?? 4,
	});
};

const json = (value: unknown): Generated => ({ kind: 'json', value });

function sizeOf({ size }: JsonObject): { width: number; height: number } {
	const { width = 32, height = 32 } = (typeof size === 'object' && size !== null ? size : {}) as { width?: number; height?: number };
	return { width, height };
}

/** The given one, or one that the input decides. */
const seedOf = (input: JsonObject): Seed =>
	typeof input.seed === 'number' || isLosslessNumber(input.seed) ? input.seed : parseInt(digest(writeJson(input)).slice(0, 6), 16);
