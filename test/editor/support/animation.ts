import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { keepImage } from './screenshots';

/** One screenshot of an animation, and how long it is shown. */
interface Frame {
	image: Buffer;
	milliseconds: number;
}

const FRAME_MS = 1400;
const LAST_FRAME_MS = 3500;
const QUALITY = 80;

/** A mouse pointer with a ring around its tip. The tip is in the middle. */
const POINTER_SIZE = 72;
const POINTER =
	Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${POINTER_SIZE}" height="${POINTER_SIZE}" viewBox="-36 -36 72 72">
	<circle r="18" fill="#ff6d5a" fill-opacity="0.12" stroke="#ff6d5a" stroke-width="3"/>
	<path d="M0 0V24L6 18.5L10 27.5L14 25.7L10 17H18Z" fill="#111" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/>
</svg>`);

/** Takes screenshots of a page, step by step, and joins them into one animated WebP. */
export class Animation {
	private readonly frames: Frame[] = [];

	constructor(private readonly page: Page) {}

	/** Takes a frame with a mouse pointer on `target`. */
	async pointAt(target: Locator, milliseconds = FRAME_MS): Promise<void> {
		// First the screenshot, because it ends the animations of the page, which can move the target.
		const screenshot = await this.screenshot();
		const box = await target.boundingBox();
		if (box === null) throw new Error(`Frame ${this.frames.length + 1}: the target of the mouse pointer is not visible`);
		const left = Math.round(box.x + Math.min(box.width / 2, 60) - POINTER_SIZE / 2);
		const top = Math.round(box.y + Math.min(box.height * 0.6, 40) - POINTER_SIZE / 2);
		const image = await sharp(screenshot)
			.composite([{ input: POINTER, left, top }])
			.png()
			.toBuffer();
		this.frames.push({ image, milliseconds });
	}

	/** Takes a frame without a mouse pointer. */
	async show(milliseconds = FRAME_MS): Promise<void> {
		this.frames.push({ image: await this.screenshot(), milliseconds });
	}

	/** Joins the frames, and saves them under this name. The last frame is shown longer. */
	async save(name: string): Promise<Buffer> {
		const delay = this.frames.map(({ milliseconds }) => milliseconds);
		delay.splice(-1, 1, LAST_FRAME_MS);
		const images = this.frames.map(({ image }) => image);
		const animation = await sharp(images, { join: { animated: true } })
			.webp({ delay, loop: 0, quality: QUALITY, effort: 6 })
			.toBuffer();
		await keepImage(animation, name);
		return animation;
	}

	private async screenshot(): Promise<Buffer> {
		return await this.page.screenshot({ animations: 'disabled' });
	}
}
