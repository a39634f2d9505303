import { detectContentType, HEAD_BYTES } from './contentTypes';
import type { PeekedBytes } from './peek';

/** What a conversion of an image must know. */
export interface ImageTraits {
	contentType: string;
	/** It has several frames, or may have. */
	isAnimated: boolean;
	/** It has an alpha channel or a transparent color. Its pixels may be opaque nevertheless. */
	hasAlpha: boolean;
}

/** Metadata may come before the parts that matter, and ComfyUI writes whole workflows into it. */
const MOST_HEAD_BYTES = 1024 * 1024;

/**
 * Returns the traits of an image whose format both ComfyUI and this function read: PNG, JPEG, WebP and GIF.
 * @returns undefined for other files.
 */
export async function readImageTraits(bytes: PeekedBytes): Promise<ImageTraits | undefined> {
	await bytes.readAhead(HEAD_BYTES);
	const contentType = detectContentType(bytes.head);
	switch (contentType) {
		case 'image/png':
			return { contentType, ...(await readPng(bytes)) };
		case 'image/webp':
			return { contentType, ...readWebp(bytes.head) };
		case 'image/jpeg':
			return { contentType, isAnimated: false, hasAlpha: false };
		case 'image/gif':
			return { contentType, isAnimated: true, hasAlpha: true };
		default:
			return undefined;
	}
}

type Traits = Omit<ImageTraits, 'contentType'>;

const SIGNATURE_BYTES = 8;
/** Of a chunk: its length and its name before the data, and a checksum after it. */
const CHUNK_BYTES = 12;
const COLOR_TYPE_AT = 25;
const PALETTE = 3;
const WITH_ALPHA: ReadonlySet<number | undefined> = new Set([4, 6]);

/** Reads the chunks before the pixels. If they do not end, a palette counts as transparent, and the file as animated. */
async function readPng(bytes: PeekedBytes): Promise<Traits> {
	const names = new Set<string>();
	let at = SIGNATURE_BYTES;
	while (at < MOST_HEAD_BYTES && !names.has('IDAT')) {
		await bytes.readAhead(at + CHUNK_BYTES);
		const { head } = bytes;
		if (head.length < at + CHUNK_BYTES) break;
		names.add(head.toString('latin1', at + 4, at + 8));
		at += CHUNK_BYTES + head.readUInt32BE(at);
	}
	const isComplete = names.has('IDAT');
	const colorType = bytes.head[COLOR_TYPE_AT];
	const hasAlpha = WITH_ALPHA.has(colorType) || names.has('tRNS') || (!isComplete && colorType === PALETTE);
	return { isAnimated: !isComplete || names.has('acTL'), hasAlpha };
}

const FLAGS_AT = 20;
const ALPHA_FLAG = 0x10;
const ANIMATION_FLAG = 0x02;
/** Of a lossless image without flags, the last byte of its width and height. */
const LOSSLESS_ALPHA_AT = 24;

function readWebp(head: Buffer): Traits {
	const format = head.toString('latin1', 12, 16);
	const flags = format === 'VP8X' ? (head[FLAGS_AT] ?? 0) : 0;
	const isLosslessAlpha = format === 'VP8L' && ((head[LOSSLESS_ALPHA_AT] ?? 0) & ALPHA_FLAG) !== 0;
	return { isAnimated: (flags & ANIMATION_FLAG) !== 0, hasAlpha: (flags & ALPHA_FLAG) !== 0 || isLosslessAlpha };
}
