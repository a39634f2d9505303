import { readFrame } from '../../../../client/comfyui/frames';
import { JPEG, measured, namedPreviewFrame, PNG, previewFrame, progressTextFrame, uint32 } from '../../support/frames';

const METADATA = { node_id: '12:3', display_node_id: '12', real_node_id: '12:3', prompt_id: 'j', parent_node_id: null };
const UNKNOWN_IMAGE = Buffer.from('BM....');

test.each([
	['JPEG', 1, JPEG, 'image/jpeg'],
	['PNG', 2, PNG, 'image/png'],
	['a PNG that is called a JPEG', 1, PNG, 'image/png'],
	['an unknown image that is called a PNG', 2, UNKNOWN_IMAGE, 'image/png'],
	['an unknown image of an unknown type', 9, UNKNOWN_IMAGE, 'application/octet-stream'],
])('1 PREVIEW_IMAGE: %s', (_what, type, image, contentType) => {
	const { frame, raw } = readFrame(previewFrame(type, image));
	expect(frame).toEqual({ kind: 'preview', jobId: null, nodeId: null, contentType, data: image });
	expect(raw).toEqual({ type: 1, bytes: 8 + image.byteLength });
});

test('3 TEXT', () => {
	const { frame, raw } = readFrame(progressTextFrame('7', 'drei Äpfel'));
	expect(frame).toEqual({ kind: 'progress_text', nodeId: '7', text: 'drei Äpfel' });
	expect(raw).toEqual({ type: 3, bytes: 20, node_id: '7', text: 'drei Äpfel' });
});

test('4 PREVIEW_IMAGE_WITH_METADATA', () => {
	const { frame, raw } = readFrame(namedPreviewFrame(METADATA, JPEG));
	expect(frame).toEqual({ kind: 'preview', jobId: 'j', nodeId: '12:3', contentType: 'image/jpeg', data: JPEG });
	expect(raw).toEqual({ type: 4, bytes: expect.any(Number) as number, metadata: METADATA });
});

test.each([
	['image/bmp', 'image/bmp'],
	['text/html', 'application/octet-stream'],
	[7, 'application/octet-stream'],
])('4: an image that does not say what it is, declared as %j', (declared, contentType) => {
	expect(readFrame(namedPreviewFrame({ ...METADATA, image_type: declared }, UNKNOWN_IMAGE)).frame).toMatchObject({ contentType });
});

test('a frame is read where it lies in a larger buffer', () => {
	const frame = progressTextFrame('7', 'words');
	const around = new Uint8Array(Buffer.concat([Buffer.alloc(5, 255), frame, Buffer.alloc(5, 255)]));
	expect(readFrame(around.subarray(5, 5 + frame.byteLength)).frame).toEqual({ kind: 'progress_text', nodeId: '7', text: 'words' });
});

test.each([
	['nothing', Buffer.alloc(0), 'the frame is too short'],
	['half a type', Buffer.from([0, 0]), 'the frame is too short'],
	['an unknown type', uint32(99, 1), 'binary type 99 is unknown'],
	['a preview without its image type', uint32(1), 'the frame is too short'],
	['a preview without an image', uint32(1, 1), 'the preview is empty'],
	['text without a length', uint32(3), 'the frame is too short'],
	['text whose length points beyond the end', Buffer.concat([uint32(3, 200), Buffer.from('A')]), 'a length points beyond the end'],
	[
		'metadata whose length points far beyond the end',
		Buffer.concat([uint32(4, 0xffffffff), Buffer.from('{}')]),
		'a length points beyond the end',
	],
	['metadata that is no JSON', Buffer.concat([uint32(4), measured('{"a'), JPEG]), 'the text is no JSON'],
	['metadata that is a list', namedPreviewFrame([1], JPEG), 'the metadata is no object'],
	['metadata without an image', namedPreviewFrame(METADATA, Buffer.alloc(0)), 'the preview is empty'],
])('%s is malformed, and says why', (_what, bytes, reason) => {
	expect(readFrame(bytes)).toEqual({ frame: { kind: 'malformed', reason }, raw: { bytes: bytes.byteLength } });
});
