/** What flows along a graph's links. */

/** 8-bit RGB, row by row, no padding: every number in it is exact. */
export interface Frame {
	width: number;
	height: number;
	data: Buffer;
}

/** One byte a pixel; 255 is fully masked. */
export type MaskFrame = Frame;

export interface Audio {
	sampleRate: number;
	channels: number;
	/** Interleaved 16-bit samples. */
	samples: Int16Array;
}

export type Value =
	| { type: 'IMAGE'; frames: Frame[] }
	| { type: 'MASK'; mask: MaskFrame }
	| { type: 'LATENT'; shape: [number, number, number, number]; samples: Float32Array }
	| { type: 'AUDIO'; audio: Audio }
	| { type: 'VIDEO'; frameCount: number; fps: number }
	| { type: 'MESH'; positions: Float32Array }
	| { type: 'STRING'; value: string }
	| { type: 'INT'; value: number }
	| { type: 'FLOAT'; value: number }
	| { type: 'BOOLEAN'; value: boolean }
	| { type: 'FILE'; reference: unknown };

/** What an input takes; `*` takes everything. */
export type ValueType = Value['type'] | '*';

/** Roughly how much memory a value holds. */
export function bytesHeld(value: Value): number {
	switch (value.type) {
		case 'IMAGE':
			return value.frames.reduce((sum, frame) => sum + frame.data.length, 0);
		case 'MASK':
			return value.mask.data.length;
		case 'LATENT':
			return value.samples.byteLength;
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
