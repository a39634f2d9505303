import { randomInt } from 'node:crypto';
import type { ApiGraph } from '../../../sandbox/graphEngine/types';

/** One small picture; a new one unless a color is given. */
export const picture = (color = randomInt(0xffffff)): ApiGraph => ({
	image: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } },
	save: { class_type: 'SaveImage', inputs: { images: ['image', 0], filename_prefix: 'picture' } },
});

/** A picture that takes `steps` of 10 ms. */
export const slowPicture = (steps: number): ApiGraph => ({
	...picture(),
	sample: { class_type: 'SandboxSampler', inputs: { image: ['image', 0], steps, step_ms: 10, seed: randomInt(0xffffff) } },
	save: { class_type: 'SaveImage', inputs: { images: ['sample', 0], filename_prefix: 'slow' } },
});

export const failing = (): ApiGraph => ({
	fail: { class_type: 'SandboxFail', inputs: { message: 'out of memory', exception_type: 'OOMError' } },
});

export const withAsset = (id: string): ApiGraph => ({
	load: { class_type: 'LoadImage', inputs: { image: { __type: 'core/ASSET', info: { id } } } },
	save: { class_type: 'SaveImage', inputs: { images: ['load', 0], filename_prefix: 'loaded' } },
});

/** A text delivered under any name, kind and content type. */
export const textFile = (kind: string, contentType = 'text/plain'): ApiGraph => ({
	file: { class_type: 'SandboxFile', inputs: { name: `a.${kind}`, kind, content_type: contentType, text: `text ${randomInt(0xffffff)}` } },
});
