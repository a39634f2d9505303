import type { ApiGraph } from '../../../client';

/** Done in milliseconds. */
export const quickGraph = (color = 0x336699): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color } },
	'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'quick' } },
});

let colors = 0;
/** A quick graph with a color of its own, so that no image comes from a cache. */
export const newGraph = (): ApiGraph => quickGraph(++colors);

/** Takes `steps` times `stepMs`, and shows progress and previews. */
export const slowGraph = (steps: number, stepMs: number, seed = Math.floor(Math.random() * 1e9)): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0x112233 } },
	'2': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps, step_ms: stepMs, seed } },
	'3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'slow' } },
});

/** The same, whose image waits before it is saved until the sandbox's gate is open. */
export const gatedGraph = (steps: number, stepMs: number): ApiGraph => ({
	...slowGraph(steps, stepMs),
	'4': { class_type: 'SandboxGate', inputs: { image: ['2', 0] } },
	'3': { class_type: 'SaveImage', inputs: { images: ['4', 0], filename_prefix: 'slow' } },
});

export const largeFileGraph = (sizeMib: number, seed = 1): ApiGraph => ({
	'1': { class_type: 'SandboxLargeFile', inputs: { size_mib: sizeMib, seed } },
});

export const failingGraph = (): ApiGraph => ({
	'1': { class_type: 'SandboxFail', inputs: { message: 'Out of paint', exception_type: 'PaintError' } },
});
