/** The frames of a WebSocket, as the hosted v1 interface and bare engines send them alike. Pure. */
import { ShapeError } from '../../errors';
import { decodeBinary } from './binaryFrame';
import type { Frame } from './frame';
import { parseText } from './parseText';
import { decodeText } from './textFrame';

export { decodeExecutionError } from './executionError';
export type { Frame, NodeState } from './frame';

const LONGEST_QUOTE = 200;

export interface ReadFrame {
	frame: Frame;
	/** The message as a person may see it: parsed text; of a binary message all but the image. */
	raw: unknown;
}

/** Reads one WebSocket message. Never throws: what cannot be read is a frame of kind `malformed`. */
export function readFrame(data: string | Uint8Array): ReadFrame {
	let raw: unknown = typeof data === 'string' ? { text: data.slice(0, LONGEST_QUOTE) } : { bytes: data.byteLength };
	try {
		if (typeof data !== 'string') return decodeBinary(data);
		raw = parseText(data);
		return { frame: decodeText(raw, data.length), raw };
	} catch (error) {
		const reason = error instanceof ShapeError ? error.message : 'the frame is unreadable';
		return { frame: { kind: 'malformed', reason }, raw };
	}
}
