/** Frames of the WebSocket, read by the layouts of the specification and held against contract/v1.yaml. */
import { Contract } from './contract';

const v1 = new Contract('v1.yaml');

export interface TextFrame {
	type: string;
	data: Record<string, unknown>;
}

export interface BinaryFrame {
	code: number;
	/** Of type 1. */
	imageType?: number;
	/** Of type 3. */
	nodeId?: string;
	/** Of type 4. */
	metadata?: Record<string, unknown>;
	/** What comes last: image or text. */
	rest: Buffer;
}

/** What is wrong with a text frame by the contract; empty when nothing is. */
export function textProblems(text: string): string[] {
	const frame = JSON.parse(text) as Partial<TextFrame>;
	const schema = `${(frame.type ?? '').replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Frame`;
	const problems = v1.schemaProblems(schema, frame) ?? ['the type is not documented'];
	return problems.map((problem) => `${frame.type ?? 'no type'}: ${problem}`);
}

/** What is wrong with a binary frame; empty when nothing is. */
export function binaryProblems(bytes: Buffer): string[] {
	const { code, imageType, metadata, rest } = readBinary(bytes);
	if (code === 3) return [];
	const isImage = isJpeg(rest) || rest.subarray(0, 4).equals(PNG);
	return [
		...([1, 4].includes(code) ? [] : [`binary type ${code} is not documented`]),
		...(isImage ? [] : ['neither JPEG nor PNG']),
		...(code === 1 && imageType !== (isJpeg(rest) ? 1 : 2) ? [`image type ${imageType} tells the wrong format`] : []),
		...(code === 4 ? (v1.schemaProblems('PreviewMetadata', metadata) ?? []) : []),
	].map((problem) => `binary ${code}: ${problem}`);
}

const JPEG = Buffer.from([0xff, 0xd8]);
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

const isJpeg = (image: Buffer): boolean => image.subarray(0, 2).equals(JPEG);

/** @throws RangeError when the frame ends too early. */
export function readBinary(bytes: Buffer): BinaryFrame {
	const code = bytes.readUInt32BE(0);
	const second = bytes.readUInt32BE(4);
	if (code === 1) return { code, imageType: second, rest: bytes.subarray(8) };
	const first = bytes.subarray(8, 8 + second).toString('utf8');
	const rest = bytes.subarray(8 + second);
	return code === 4 ? { code, metadata: JSON.parse(first) as Record<string, unknown>, rest } : { code, nodeId: first, rest };
}
