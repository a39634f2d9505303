/** What the models generate: images and clips as links in JSON of each provider's own shape, speech, and test answers. */
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isLosslessNumber, writeJson } from '../json';
import { digest } from '../ledger';
import { encodePng } from '../graphEngine/pixels';
import { drawPicture } from '../graphEngine/picture';
import { readClip, readTone } from '../graphEngine/fileFormats';
import type { Generated, JsonObject, Model } from './model';
import { policyViolation, providerError, RouterRefusal } from './refusals';

const json = (value: unknown): Generated => ({ kind: 'json', value });

/** The seed of the input, unchanged, or a hash of the input. */
const seedOf = (input: JsonObject): unknown =>
	typeof input.seed === 'number' || isLosslessNumber(input.seed) ? input.seed : parseInt(digest(writeJson(input)).slice(0, 6), 16);

/** Returns a list of images with their facts. */
export const generateImages: Model['generate'] = async (input, { store }) => {
	const { width = 32, height = 32 } = (input.size ?? {}) as { width?: number; height?: number };
	const images = Array.from({ length: Number(input.num_images ?? 1) }, async (_, index) => {
		const frame = await drawPicture({ width, height, prompt: String(input.prompt), seed: String(seedOf(input)), settings: [index] });
		return { url: await store(await encodePng(frame), 'image/png'), width, height, content_type: 'image/png' };
	});
	return json({ images: await Promise.all(images), seed: seedOf(input) });
};

export const generateClip: Model['generate'] = async (input, { store }) =>
	json({
		id: `task-${String(seedOf(input))}`,
		status: 'succeeded',
		content: { video_url: await store(await readClip(), 'video/mp4') },
		duration: input.duration ?? 4,
	});

export const generateSpeech: Model['generate'] = async () => ({ kind: 'bytes', contentType: 'audio/wav', bytes: await readTone() });

/** Returns its input. */
export const echoInput: Model['generate'] = async (input) => json({ input });

export const answerLater: Model['generate'] = async (input, { signal }) => {
	const { ms = 1000, note = null } = input as { ms?: number; note?: string };
	await delay(ms, undefined, { signal });
	return json({ waited_ms: ms, note });
};

const CHUNK_BYTES = 64 * 1024;

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

export const refuseInput: Model['generate'] = async () => {
	throw policyViolation();
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
	return json({ input });
};
