/** The values of links. */

/** 8-bit RGB, row by row, without padding. */
export interface Frame {
	width: number;
	height: number;
	data: Buffer;
}

/** One byte for each pixel; 255 is fully masked. */
export type MaskFrame = Frame;

export interface Audio {
	sampleRate: number;
	channels: number;
	/** Interleaved 16-bit samples. */
	samples: Int16Array;
}

/** Images in latent space. The sandbox keeps them as images, with sizes in pixels. */
export interface Latent {
	width: number;
	height: number;
	count: number;
	/** Absent for an empty latent. */
	frames?: Frame[];
	/** Limits the region that a sampler changes. */
	noiseMask?: MaskFrame;
}

export type Value =
	| { type: 'IMAGE'; frames: Frame[] }
	| { type: 'MASK'; mask: MaskFrame }
	| { type: 'LATENT'; latent: Latent }
	| { type: 'MODEL'; checkpoint: string }
	| { type: 'CLIP'; checkpoint: string }
	| { type: 'VAE'; checkpoint: string }
	| { type: 'UPSCALE_MODEL'; /** By which it enlarges an image. */ factor: number }
	| { type: 'CONDITIONING'; prompt: string }
	| { type: 'AUDIO'; audio: Audio }
	| { type: 'VIDEO'; frameCount: number; fps: number }
	| { type: 'MESH'; positions: Float32Array }
	| { type: 'STRING'; value: string }
	| { type: 'INT'; value: number; /** Set if a double is not exact. */ exact?: bigint }
	| { type: 'FLOAT'; value: number }
	| { type: 'BOOLEAN'; value: boolean }
	| { type: 'FILE'; reference: unknown };

/** The type of an input; `*` accepts all values. */
export type ValueType = Value['type'] | '*';

/** Approximate size of a value in memory, in bytes. */
export function bytesHeld(value: Value): number {
	switch (value.type) {
		case 'IMAGE':
			return value.frames.reduce((sum, frame) => sum + frame.data.length, 0);
		case 'MASK':
			return value.mask.data.length;
		case 'LATENT':
			return (value.latent.frames ?? []).reduce((sum, frame) => sum + frame.data.length, value.latent.noiseMask?.data.length ?? 0);
		case 'CONDITIONING':
			return value.prompt.length * 2;
		case 'AUDIO':
			return value.audio.samples.byteLength;
		case 'MESH':
			return value.positions.byteLength;
		case 'STRING':
			return value.value.length * 2;
		default:
			return 8;
	}
}
