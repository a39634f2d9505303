import type { ApiGraph } from '../../../client';

export const KINDS = ['image', 'video', 'audio', 'text', 'file', 'latent'] as const;

/** What each kind of output is called and served as. */
export const MEDIA: Record<(typeof KINDS)[number], { mimeType: string; extension: string }> = {
	image: { mimeType: 'image/png', extension: 'png' },
	video: { mimeType: 'video/mp4', extension: 'mp4' },
	audio: { mimeType: 'audio/wav', extension: 'wav' },
	text: { mimeType: 'text/plain', extension: 'txt' },
	file: { mimeType: 'model/gltf-binary', extension: 'glb' },
	latent: { mimeType: 'application/octet-stream', extension: 'latent' },
};

/** One output of each kind; the saving node's id is 11 to 16, in the order of `KINDS`. */
export const everyKindGraph = (seed: number): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: seed } },
	'2': { class_type: 'CreateVideo', inputs: { images: ['1', 0], fps: 8 } },
	'3': { class_type: 'SandboxTone', inputs: { frequency: 440, duration: 0.1 } },
	'4': { class_type: 'PrimitiveString', inputs: { value: `seed ${seed}` } },
	'5': { class_type: 'SandboxMesh', inputs: {} },
	'6': { class_type: 'EmptyLatentImage', inputs: { width: 16, height: 16, batch_size: 1 } },
	'11': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'kind_image' } },
	'12': { class_type: 'SaveVideo', inputs: { video: ['2', 0], filename_prefix: 'kind_video', format: 'auto', codec: 'auto' } },
	'13': { class_type: 'SaveAudio', inputs: { audio: ['3', 0], filename_prefix: 'kind_audio' } },
	'14': { class_type: 'SaveText', inputs: { text: ['4', 0], filename_prefix: 'kind_text' } },
	'15': { class_type: 'SaveGLB', inputs: { mesh: ['5', 0], filename_prefix: 'kind_file' } },
	'16': { class_type: 'SaveLatent', inputs: { samples: ['6', 0], filename_prefix: 'kind_latent' } },
});

/** One text output under any name, kind and content type. */
export const fileGraph = (name: string, { kind = 'text', content_type = 'text/plain', text = 'hello' } = {}): ApiGraph => ({
	'1': { class_type: 'SandboxFile', inputs: { name, kind, content_type, text } },
});

export const largeFileGraph = (size_mib: number, seed = 1): ApiGraph => ({
	'1': { class_type: 'SandboxLargeFile', inputs: { size_mib, seed } },
});

/** Saves one picture, then fails. */
export const partlyFailingGraph = (color: number): ApiGraph => ({
	'1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color } },
	'2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'saved_before' } },
	'3': { class_type: 'SandboxSampler', inputs: { image: ['1', 0], steps: 5, step_ms: 20, seed: color } },
	'7': { class_type: 'SandboxFail', inputs: { image: ['3', 0], message: 'CUDA out of memory', exception_type: 'OOMError' } },
});
