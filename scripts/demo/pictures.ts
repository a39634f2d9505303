import sharp from 'sharp';

const GAP = 16;

/** One picture of several of the same size, in a row. */
export async function besideEachOther(pictures: Buffer[]): Promise<Buffer> {
	const { width, height } = await sharp(pictures[0]).metadata();
	const row = { width: pictures.length * (width + GAP) - GAP, height, channels: 3 as const, background: 'white' };
	const places = pictures.map((input, index) => ({ input, left: index * (width + GAP), top: 0 }));
	return await sharp({ create: row }).composite(places).png().toBuffer();
}

const pixelsOf = async (picture: Buffer): Promise<Uint32Array> =>
	new Uint32Array(new Uint8Array(await sharp(picture).ensureAlpha().raw().toBuffer()).buffer);

/** Of two pictures of the same size; from 0 to 1. */
export async function shareThatDiffers(one: Buffer, other: Buffer): Promise<number> {
	const [before, after] = await Promise.all([pixelsOf(one), pixelsOf(other)]);
	return before.filter((pixel, place) => pixel !== after[place]).length / before.length;
}
