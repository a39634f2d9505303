import sharp from 'sharp';

import { randomPicture } from '../../scripts/demo/picture';

/** How much neighbours differ on average, of 255: some 85 in noise. */
async function roughness(png: Buffer): Promise<number> {
	const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
	const steps = [...data.keys()].filter((index) => index % (info.width * 3) >= 3).map((index) => Math.abs((data[index] ?? 0) - (data[index - 3] ?? 0)));
	return steps.reduce((sum, step) => sum + step, 0) / steps.length;
}

it('E10: the demo makes a picture to look at, and another one each time', async () => {
	const [one, other] = [await randomPicture(), await randomPicture()];
	expect(await roughness(one.png)).toBeLessThan(10);
	expect((await sharp(one.png).stats()).channels.some(({ stdev }) => stdev > 10)).toBe(true);
	expect(one.png.equals(other.png)).toBe(false);
});
