/** The values of links. */

/** 8-bit RGB, row by row, without padding. */
export interface Frame {
	width: number;
	height: number;
	data: Buffer;
}

/** Images in latent space. The sandbox keeps them as images, with sizes in pixels. */
export interface Latent {
	frames: Frame[];
	/** Limits the region that a sampler changes. */
	noiseMask?: Frame;
}

export type Value =
	| { type: 'IMAGE'; frames: Frame[] }
	| { type: 'MASK'; /** In gray; white is fully masked. */ mask: Frame }
	| { type: 'LATENT'; latent: Latent }
	| { type: 'MODEL'; checkpoint: string }
	| { type: 'CLIP'; checkpoint: string }
	| { type: 'VAE'; checkpoint: string }
	| { type: 'UPSCALE_MODEL'; /** By which it enlarges an image. */ factor: number }
	| { type: 'CONDITIONING'; prompt: string }
	| { type: 'AUDIO' }
	| { type: 'VIDEO' }
	| { type: 'MESH' }
	| { type: 'STRING'; value: string }
	| { type: 'INT'; value: number; /** Set if a double is not exact. */ exact?: bigint }
	| { type: 'FLOAT'; value: number }
	| { type: 'BOOLEAN'; value: boolean }
	| { type: 'FILE'; reference: unknown };

/** The type of an input; `*` accepts all values. */
export type ValueType = Value['type'] | '*';
