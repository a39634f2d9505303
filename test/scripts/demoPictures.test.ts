import sharp from 'sharp';

import { besideEachOther, shareThatDiffers } from '../../scripts/demo/pictures';

const filled = async (background: string): Promise<Buffer> =>
	await sharp({ create: { width: 8, height: 4, channels: 3, background } })
		.png()
		.toBuffer();

it('the demo puts its pictures beside each other, and counts what differs', async () => {
	const [red, blue] = [await filled('red'), await filled('blue')];
	const both = await besideEachOther([red, blue]);
	expect(await sharp(both).metadata()).toMatchObject({ width: 32, height: 4 });
	const halves = [0, 24].map(async (left) => await sharp(both).extract({ left, top: 0, width: 8, height: 4 }).png().toBuffer());
	const [left, right] = (await Promise.all(halves)) as [Buffer, Buffer];
	await expect(Promise.all([shareThatDiffers(left, red), shareThatDiffers(right, blue), shareThatDiffers(left, right)])).resolves.toEqual([
		0, 0, 1,
	]);
});
