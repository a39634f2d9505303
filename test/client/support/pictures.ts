import sharp from 'sharp';

import type { UploadSource } from '../../../client';
import { chunksOf } from './bytes';

/** A small PNG in one color; with alpha it can be a mask. */
export const picture = async (color: number, edge = 16): Promise<Buffer> =>
	await sharp({
		create: { width: edge, height: edge, channels: 4, background: { r: color >> 16, g: (color >> 8) & 0xff, b: color & 0xff, alpha: 0.5 } },
	})
		.png()
		.toBuffer();

export const pngSource = (bytes: Uint8Array, rest: Partial<UploadSource> = {}): UploadSource => ({
	open: () => chunksOf(bytes),
	sizeBytes: bytes.length,
	contentType: 'image/png',
	...rest,
});
