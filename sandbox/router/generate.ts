/** What the models generate: images and clips as links in JSON of each provider's own shape, texts, speech, and test answers. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isLosslessNumber, type LosslessNumber, writeJson } from '../json';
import { digest } from '../ledger';
import { noiseFrame } from '../graphEngine/mixing';
import { encodePng } from '../graphEngine/pixels';
import { encodeWav, sine } from '../graphEngine/fileFormats';
import type { GenerateContext, Generated, JsonObject, Model } from './model';
import { policyViolation, providerError, RouterRefusal } from './refusals';

const CLIP = join(__dirname, '..', 'graphEngine', 'fixtures', 'clip.mp4');

interface Picture {
	bytes: Buffer;
	width: number;
	height: number;
}

/** Returned unchanged. */
type Seed = number | LosslessNumber;

type Shape = (pictures: Picture[], context: GenerateContext, seed: Seed) => Promise<unknown>;

/** The shapes in which providers return images. */
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

/** @param shape index of the shape, modulo their number. */
export const generatePictures =
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

export const generateClip: Model['generate'] = async (input, context) => {
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

/** The seed of the input, or a hash of the input. */
const seedOf = (input: JsonObject): Seed =>
	typeof input.seed === 'number' || isLosslessNumber(input.seed) ? input.seed : parseInt(digest(writeJson(input)).slice(0, 6), 16);

export const answerChat: Model['generate'] = async (input) => {
	const messages = Array.isArray(input.messages) ? (input.messages as Array<{ content?: unknown }>) : [];
	const asked = JSON.stringify(messages.at(-1)?.content ?? '');
	return {
		kind: 'json',
		value: {
			id: 'chat-1',
			choices: [{ index: 0, message: { role: 'assistant', content: `You said ${asked}` }, finish_reason: 'stop' }],
			usage: { prompt_tokens: asked.length, completion_tokens: asked.length + 2 },
		},
	};
};

/** Returns a WAV file. */
export const generateSpeech: Model['generate'] = async (input) => {
	const seconds =
		typeof input.duration === 'number' ? input.duration : 0.1 + Math.min(2, String(input.text ?? input.prompt ?? '').length / 100);
	return { kind: 'bytes', contentType: 'audio/wav', bytes: encodeWav(sine(440, seconds)) };
};

const CHUNK_BYTES = 64 * 1024;

/** Returns its input. */
export const echoInput: Model['generate'] = async (input) => ({ kind: 'json', value: { input } });

export const answerLater: Model['generate'] = async (input, { signal, onAccepted }) => {
	const { ms = 1000, accept_after_ms: acceptAfter = 0, note = null } = input as { ms?: number; accept_after_ms?: number; note?: string };
	if (acceptAfter > 0) await delay(acceptAfter, undefined, { signal });
	onAccepted();
	await delay(ms, undefined, { signal });
	return { kind: 'json', value: { waited_ms: ms, note } };
};

export const answerOfSize: Model['generate'] = async (input) => {
	const sizeBytes = Number(input.bytes);
	return { kind: 'large', sizeBytes, open: () => Readable.from(filler(sizeBytes)) };
};

function* filler(sizeBytes: number): Generator<Buffer> {
	const [head, tail] = ['{"filler":"', '"}'];
	yield Buffer.from(head);
	for (let left = sizeBytes - head.length - tail.length; left > 0; left -= CHUNK_BYTES)
		yield Buffer.alloc(Math.min(left, CHUNK_BYTES), 'x');
	yield Buffer.from(tail);
}

export const refuseInput: Model['generate'] = async ({ subject }) => {
	throw policyViolation(subject === 'output' ? 'output' : 'input');
};

const STATUSES: Record<string, number> = { provider_error: 502, provider_timeout: 504, service_unavailable: 503, internal_error: 500 };

export const failGeneration: Model['generate'] = async ({ error_type: bucket = 'provider_error' }) => {
	const upstream = { 'X-Vendor-Upstream-Status': '500', 'X-Vendor-Upstream-Detail': 'The partner broke' };
	throw new RouterRefusal({
		status: STATUSES[String(bucket)] ?? 500,
		bucket: String(bucket),
		detail: 'The provider did not deliver',
		headers: upstream,
		extra: { upstream_detail: 'The partner broke' },
	});
};

/** Always fails at its own provider. */
export const fallBack: Model['generate'] = async (input, { fallback, onFallback }) => {
	if (!fallback) throw providerError('The provider did not deliver');
	onFallback('aurora');
	return { kind: 'json', value: { input } };
};
