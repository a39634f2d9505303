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
