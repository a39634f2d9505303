/** Frames as they stand on the wire: text as JSON, binary with big-endian numbers. */
import type { PreviewType } from '../graphEngine/types';

const PREVIEW_IMAGE = 1;
const TEXT = 3;
const PREVIEW_IMAGE_WITH_METADATA = 4;

const IMAGE_TYPES: Readonly<Record<PreviewType, number>> = { 'image/jpeg': 1, 'image/png': 2 };

export interface PreviewMetadata {
	node_id: string;
	display_node_id: string;
	real_node_id: string;
	prompt_id: string;
	parent_node_id: string | null;
	/** Engines add the MIME type. */
	image_type?: string;
}

export const textFrame = (type: string, data: Record<string, unknown>): string => JSON.stringify({ type, data });

/** Binary type 1: type, image type, image. */
export const previewFrame = (image: Uint8Array, contentType: PreviewType): Buffer =>
	Buffer.concat([uint32(PREVIEW_IMAGE), uint32(IMAGE_TYPES[contentType]), image]);

/** Binary type 3: type, length of the node id, node id, text. */
export const nodeTextFrame = (nodeId: string, text: string): Buffer =>
	Buffer.concat([uint32(TEXT), measured(nodeId), Buffer.from(text, 'utf8')]);

/** Binary type 4: type, length of the metadata, metadata as JSON, image. */
export const previewWithMetadataFrame = (metadata: PreviewMetadata, image: Uint8Array): Buffer =>
	Buffer.concat([uint32(PREVIEW_IMAGE_WITH_METADATA), measured(JSON.stringify(metadata)), image]);

function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

/** A text behind its length in bytes. */
function measured(text: string): Buffer {
	const bytes = Buffer.from(text, 'utf8');
	return Buffer.concat([uint32(bytes.byteLength), bytes]);
}
