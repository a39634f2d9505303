/** What samplers need: images as latents, and the progress of their steps. */
import { setImmediate as letOthersRun, setTimeout as sleep } from 'node:timers/promises';
import type { Tensor } from './fileFormats';
import { cropFrame, encodeJpeg, encodePng, filledFrame, resizeFrame } from './pixels';
import type { Frame, Latent } from './values';
import { blendFrames, noiseFrame } from './mixing';
import type { NodeContext } from './nodeClass';

const PIXELS = 8;
const CHANNELS = 4;
/** The color of an empty latent. */
const NOTHING = 0x7f7f7f;

export const roundToLatentSize = (pixels: number): number => Math.max(1, Math.floor(pixels / PIXELS)) * PIXELS;

/** Crops both sides equally to a multiple of eight pixels. */
export function cropToWhole(frame: Frame): Frame {
	const [width, height] = [roundToLatentSize(frame.width), roundToLatentSize(frame.height)];
	return cropFrame(
		frame,
		Math.max(0, Math.floor((frame.width - width) / 2)),
		Math.max(0, Math.floor((frame.height - height) / 2)),
		width,
		height,
	);
}

export const toFrames = ({ frames, count, width, height }: Latent): Frame[] =>
	frames ?? Array.from({ length: count }, () => filledFrame(width, height, NOTHING));

/** Red, green, blue and their mean, from -1 to 1; zeros for an empty latent. */
export async function toTensor({ frames, count, width, height }: Latent): Promise<Tensor> {
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

const PREVIEW_EDGE = 96;

/** Reports each step with a preview that changes from noise to the result. */
export async function showSteps(
	context: NodeContext,
	frame: Frame,
	{ steps, stepMs, seed }: { steps: number; stepMs: number; seed: number },
): Promise<void> {
	const { signal, progress, previewType, preview } = context;
	const encode = previewType === 'image/png' ? encodePng : encodeJpeg;
	const shrink = Math.min(1, PREVIEW_EDGE / Math.max(frame.width, frame.height));
	const [width, height] = [frame.width, frame.height].map((length) => Math.max(1, Math.round(length * shrink))) as [number, number];
	const small = await resizeFrame(frame, width, height, 'nearest-exact');
	const noise = noiseFrame(width, height, seed);
	for (let step = 1; step <= steps; step++) {
		await (stepMs > 0 ? sleep(stepMs, undefined, { signal }) : letOthersRun());
		signal.throwIfAborted();
		progress(step, steps);
		preview(previewType, await encode(blendFrames(noise, small, step / steps, 'normal')));
	}
}
