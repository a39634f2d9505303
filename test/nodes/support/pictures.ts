import sharp from 'sharp';

interface Color {
	r: number;
	g: number;
	b: number;
	alpha: number;
}

/** A PNG of 8 by 8 pixels in one color. */
export const solidPicture = async (background: string | Color): Promise<Buffer> =>
	await sharp({ create: { width: 8, height: 8, channels: typeof background === 'string' ? 3 : 4, background } })
		.png()
		.toBuffer();

/** The values of red, green and blue, pixel by pixel. */
export const pixelsOf = async (png: Buffer): Promise<Buffer> => await sharp(png).removeAlpha().raw().toBuffer();

const NOISE = { width: 24, height: 16, channels: 3 as const };

/** A picture whose pixels are random, as its pixels and as a PNG. */
export async function noise(): Promise<{ pixels: Buffer; png: Buffer }> {
	const pixels = Buffer.from(Array.from({ length: NOISE.width * NOISE.height * NOISE.channels }, () => Math.floor(Math.random() * 256)));
	return { pixels, png: await sharp(pixels, { raw: NOISE }).png().toBuffer() };
}

export const inverted = (pixels: Buffer): Buffer => Buffer.from(pixels.map((value) => 255 - value));
