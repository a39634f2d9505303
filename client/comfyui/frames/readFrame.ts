/** Reads messages of the WebSocket. The hosted v1 interface and engines send the same. Pure. */
import { isRecord, type JsonRecord } from '../../json/decode';
import { ShapeError } from '../../errors/errors';
import { type Frame, idOr, parseFrameText } from './frame';
import { decodeText } from './textFrame';

const LONGEST_QUOTE = 200;

export interface ReadFrame {
	frame: Frame;
	/** The message for people: the parsed text; for a binary message, everything but the image. */
	raw: unknown;
}

const NUMBER_BYTES = 4;
const PREVIEW_IMAGE = 1;
const TEXT = 3;
const PREVIEW_IMAGE_WITH_METADATA = 4;
const DECLARED_TYPES: Readonly<Record<number, string>> = { 1: 'image/jpeg', 2: 'image/png' };

/** Reads one message. Never throws: a message that cannot be read becomes a frame of kind `malformed`. */
export function readFrame(data: string | Uint8Array): ReadFrame {
	let raw: unknown = typeof data === 'string' ? { text: data.slice(0, LONGEST_QUOTE) } : { bytes: data.byteLength };
	try {
		if (typeof data !== 'string') return decodeBinary(data);
		raw = parseFrameText(data);
		return { frame: decodeText(raw, data.length), raw };
	} catch (error) {
		const reason = error instanceof ShapeError ? error.message : 'the frame is unreadable';
		return { frame: { kind: 'malformed', reason }, raw };
	}
}

/** @throws ShapeError for an unknown type, and if a length points beyond the end. */
function decodeBinary(bytes: Uint8Array): ReadFrame {
	const type = numberAt(bytes, 0);
	const facts = { type, bytes: bytes.byteLength };
	const body = bytes.subarray(NUMBER_BYTES);
	switch (type) {
		case PREVIEW_IMAGE: {
			const declared = DECLARED_TYPES[numberAt(body, 0)];
			return { frame: toPreview(body.subarray(NUMBER_BYTES), { jobId: null, nodeId: null, declared }), raw: facts };
		}
		case TEXT: {
			const [node, message] = splitAtLength(body);
			const [nodeId, text] = [idOr(decodeUtf8(node)), decodeUtf8(message)];
			return { frame: { kind: 'progress_text', nodeId, text }, raw: { ...facts, node_id: nodeId, text } };
		}
		case PREVIEW_IMAGE_WITH_METADATA: {
			const [head, image] = splitAtLength(body);
			const metadata = parseMetadata(decodeUtf8(head));
			const declared = declaredType(metadata);
			const source = { jobId: idOr(metadata.prompt_id), nodeId: idOr(metadata.node_id), declared };
			return { frame: toPreview(image, source), raw: { ...facts, metadata } };
		}
		default:
			throw new ShapeError(`binary type ${type} is unknown`);
	}
}

function toPreview(data: Uint8Array, { declared, ...source }: { jobId: string | null; nodeId: string | null; declared?: string }): Frame {
	if (data.byteLength === 0) throw new ShapeError('the preview is empty');
	return { kind: 'preview', ...source, contentType: imageTypeOf(data) ?? declared ?? 'application/octet-stream', data };
}

/** Splits `<length><bytes><rest>` into bytes and rest. */
function splitAtLength(bytes: Uint8Array): [Uint8Array, Uint8Array] {
	const end = NUMBER_BYTES + numberAt(bytes, 0);
	if (end > bytes.byteLength) throw new ShapeError('a length is beyond the end');
	return [bytes.subarray(NUMBER_BYTES, end), bytes.subarray(end)];
}

function numberAt(bytes: Uint8Array, offset: number): number {
	if (offset + NUMBER_BYTES > bytes.byteLength) throw new ShapeError('the frame is too short');
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(offset);
}

const decodeUtf8 = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Returns the type that an engine declares in the metadata. */
function declaredType({ image_type: type }: JsonRecord): string | undefined {
	return typeof type === 'string' && /^image\/[\w.+-]+$/.test(type) ? type : undefined;
}

function parseMetadata(text: string): JsonRecord {
	const metadata = parseFrameText(text);
	if (!isRecord(metadata)) throw new ShapeError('the metadata is not an object');
	return metadata;
}

/** The first bytes of each image format that previews use. */
const MAGIC_BYTES: ReadonlyArray<readonly [contentType: string, bytes: readonly number[]]> = [
	['image/jpeg', [0xff, 0xd8, 0xff]],
	['image/png', [0x89, 0x50, 0x4e, 0x47]],
	['image/gif', [0x47, 0x49, 0x46, 0x38]],
	['image/webp', [0x52, 0x49, 0x46, 0x46]],
];

/** Returns the content type by the first bytes; undefined if they are unknown. */
const imageTypeOf = (image: Uint8Array): string | undefined =>
	MAGIC_BYTES.find(([, bytes]) => bytes.every((byte, at) => image[at] === byte))?.[0];
