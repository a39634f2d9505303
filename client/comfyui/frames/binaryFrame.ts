import { isRecord, type JsonRecord } from '../../decode';
import { ShapeError } from '../../errors';
import { idOr } from './fields';
import type { Frame } from './frame';
import { parseText } from './parseText';

const NUMBER_BYTES = 4;
const PREVIEW_IMAGE = 1;
const TEXT = 3;
const PREVIEW_IMAGE_WITH_METADATA = 4;
const DECLARED_TYPES: Readonly<Record<number, string>> = { 1: 'image/jpeg', 2: 'image/png' };

/** What a binary frame says, and what may be shown of it: all but the image. */
export interface BinaryFrame {
	frame: Frame;
	raw: JsonRecord;
}

/** @throws ShapeError for an unknown type, and when a length points beyond the end. */
export function decodeBinary(bytes: Uint8Array): BinaryFrame {
	const type = numberAt(bytes, 0);
	const shown = { type, bytes: bytes.byteLength };
	const body = bytes.subarray(NUMBER_BYTES);
	switch (type) {
		case PREVIEW_IMAGE: {
			const declared = DECLARED_TYPES[numberAt(body, 0)];
			return { frame: preview(body.subarray(NUMBER_BYTES), { jobId: null, nodeId: null, declared }), raw: shown };
		}
		case TEXT: {
			const [node, words] = splitMeasured(body);
			const [nodeId, text] = [idOr(decodedText(node)), decodedText(words)];
			return { frame: { kind: 'progress_text', nodeId, text }, raw: { ...shown, node_id: nodeId, text } };
		}
		case PREVIEW_IMAGE_WITH_METADATA: {
			const [head, image] = splitMeasured(body);
			const metadata = metadataOf(decodedText(head));
			const declared = declaredType(metadata);
			const place = { jobId: idOr(metadata.prompt_id), nodeId: idOr(metadata.node_id), declared };
			return { frame: preview(image, place), raw: { ...shown, metadata } };
		}
		default:
			throw new ShapeError(`binary type ${type} is unknown`);
	}
}

function preview(data: Uint8Array, { declared, ...place }: { jobId: string | null; nodeId: string | null; declared?: string }): Frame {
	if (data.byteLength === 0) throw new ShapeError('the preview is empty');
	return { kind: 'preview', ...place, contentType: imageTypeOf(data) ?? declared ?? 'application/octet-stream', data };
}

/** What stands behind a length, and what comes after it. */
function splitMeasured(bytes: Uint8Array): [Uint8Array, Uint8Array] {
	const end = NUMBER_BYTES + numberAt(bytes, 0);
	if (end > bytes.byteLength) throw new ShapeError('a length points beyond the end');
	return [bytes.subarray(NUMBER_BYTES, end), bytes.subarray(end)];
}

function numberAt(bytes: Uint8Array, offset: number): number {
	if (offset + NUMBER_BYTES > bytes.byteLength) throw new ShapeError('the frame is too short');
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);
}

const decodedText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Engines name the type in the metadata. */
function declaredType({ image_type: type }: JsonRecord): string | undefined {
	return typeof type === 'string' && /^image\/[\w.+-]+$/.test(type) ? type : undefined;
}

function metadataOf(text: string): JsonRecord {
	const metadata = parseText(text);
	if (!isRecord(metadata)) throw new ShapeError('the metadata is no object');
	return metadata;
}

/** The first bytes of the kinds of images that previews are made of. */
const BEGINNINGS: ReadonlyArray<readonly [contentType: string, bytes: readonly number[]]> = [
	['image/jpeg', [0xff, 0xd8, 0xff]],
	['image/png', [0x89, 0x50, 0x4e, 0x47]],
	['image/gif', [0x47, 0x49, 0x46, 0x38]],
	['image/webp', [0x52, 0x49, 0x46, 0x46]],
];

/** What an image says it is. */
const imageTypeOf = (image: Uint8Array): string | undefined =>
	BEGINNINGS.find(([, bytes]) => bytes.every((byte, at) => image[at] === byte))?.[0];
