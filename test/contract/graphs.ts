import { randomInt } from 'node:crypto';

export const node = (class_type: string, inputs: Record<string, unknown>) => ({ class_type, inputs });

/** One small picture; a new one each time, so that nothing comes from a cache. */
export const picture = () => ({
	image: node('EmptyImage', { width: 8, height: 8, batch_size: 1, color: randomInt(0xffffff) }),
	save: node('SaveImage', { images: ['image', 0], filename_prefix: 'picture' }),
});

/** A picture that takes `steps` of 10 ms. */
export const slowPicture = (steps: number) => ({
	...picture(),
	sample: node('SandboxSampler', { image: ['image', 0], steps, step_ms: 10, seed: randomInt(0xffffff) }),
	save: node('SaveImage', { images: ['sample', 0], filename_prefix: 'slow' }),
});

export const failing = () => ({ fail: node('SandboxFail', { message: 'out of memory', exception_type: 'OOMError' }) });

export const unknownClass = () => ({ magic: node('MagicNode', {}), ...picture() });

export const editorFormat = () => ({ nodes: [], links: [], last_node_id: 0, last_link_id: 0, version: 0.4 });

export const withAsset = (id: string) => ({
	load: node('LoadImage', { image: { __type: 'core/ASSET', info: { id } } }),
	save: node('SaveImage', { images: ['load', 0], filename_prefix: 'loaded' }),
});

/** One output of every kind. */
export const everyKind = () => ({
	...picture(),
	tone: node('SandboxTone', { frequency: 440, duration: 0.1 }),
	latent: node('EmptyLatentImage', { width: 16, height: 16, batch_size: 1 }),
	mesh: node('SandboxMesh', {}),
	video: node('CreateVideo', { images: ['image', 0], fps: 8 }),
	saveVideo: node('SaveVideo', { video: ['video', 0], filename_prefix: 'v', format: 'auto', codec: 'auto' }),
	saveAudio: node('SaveAudio', { audio: ['tone', 0], filename_prefix: 'a' }),
	saveText: node('SaveText', { text: 'text', filename_prefix: 't' }),
	saveLatent: node('SaveLatent', { samples: ['latent', 0], filename_prefix: 'l' }),
	saveMesh: node('SaveGLB', { mesh: ['mesh', 0], filename_prefix: 'm' }),
	strange: node('SandboxFile', { name: 'cloud.splat', kind: '3d', content_type: 'model/x-splat', text: 'x' }),
});
