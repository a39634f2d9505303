import { setImmediate as letOthersRun, setTimeout as sleep } from 'node:timers/promises';
import { blendFrames } from './blend';
import type { NodeContext } from './nodeClass';
import { noiseFrame } from './noise';
import { encodeJpeg, encodePng } from './pixels';
import { resizeFrame } from './resize';
import type { Frame } from './values';

const PREVIEW_EDGE = 96;

/** Tells each step as a sampler does, with noise that clears up to what comes out. */
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
