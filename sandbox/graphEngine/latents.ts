/** Pictures as latents: eight pixels each way are one of a latent's. */
import type { Tensor } from './media/safetensors';
import { cropFrame, filledFrame } from './pixels';
import { resizeFrame } from './resize';
import type { Frame, Latent } from './values';

const PIXELS = 8;
const CHANNELS = 4;
/** What an empty latent looks like. */
const NOTHING = 0x7f7f7f;

export const whole = (pixels: number): number => Math.max(1, Math.floor(pixels / PIXELS)) * PIXELS;

/** A picture's edges that fill no whole place are cut off, on both sides alike. */
export function cropToWhole(frame: Frame): Frame {
	const [width, height] = [whole(frame.width), whole(frame.height)];
	return cropFrame(
		frame,
		Math.max(0, Math.floor((frame.width - width) / 2)),
		Math.max(0, Math.floor((frame.height - height) / 2)),
		width,
		height,
	);
}

export const framesOf = ({ frames, count, width, height }: Latent): Frame[] =>
	frames ?? Array.from({ length: count }, () => filledFrame(width, height, NOTHING));

/** Red, green, blue and their mean, from -1 to 1; zeros where nothing is drawn. */
export async function tensorOf({ frames, count, width, height }: Latent): Promise<Tensor> {
	const [columns, rows] = [width / PIXELS, height / PIXELS];
	const plane = columns * rows;
	const values = new Float32Array(count * CHANNELS * plane);
	for (const [index, frame] of (frames ?? []).entries()) {
		const { data } = await resizeFrame(frame, columns, rows, 'area');
		for (let place = 0; place < plane; place++) {
			const colors = [0, 1, 2].map((channel) => (data[place * 3 + channel] as number) / 127.5 - 1);
			const mean = colors.reduce((sum, color) => sum + color, 0) / colors.length;
			for (const [channel, value] of [...colors, mean].entries()) values[(index * CHANNELS + channel) * plane + place] = value;
		}
	}
	return { shape: [count, CHANNELS, rows, columns], values };
}
