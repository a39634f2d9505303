/** Writers of file formats that the image library does not have. */
import { crc32 } from 'node:zlib';
import type { Audio } from './values';

/** Signature and header chunk. */
const HEAD_BYTES = 33;

function pngChunk(type: string, content: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
	const framed = Buffer.alloc(named.length + 8);
	framed.writeUInt32BE(content.length, 0);
	named.copy(framed, 4);
	framed.writeUInt32BE(crc32(named), named.length + 4);
	return framed;
}

/** Escapes all characters above ASCII, as Python's JSON does. */
const ascii = (text: string): string =>
	text.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Adds a text to a PNG, as ComfyUI's SaveImage does with the graph. */
export const addPngText = (png: Buffer, keyword: string, json: string): Buffer =>
	Buffer.concat([
		png.subarray(0, HEAD_BYTES),
		pngChunk('tEXt', Buffer.from(`${keyword}\0${ascii(json)}`, 'latin1')),
		png.subarray(HEAD_BYTES),
	]);

const HEADER_BYTES = 44;

/** A RIFF/WAVE file of 16-bit PCM. */
export function encodeWav({ sampleRate, channels, samples }: Audio): Buffer {
	const dataBytes = samples.length * 2;
	const file = Buffer.alloc(HEADER_BYTES + dataBytes);
	file.write('RIFF', 0, 'latin1');
	file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4);
	file.write('WAVEfmt ', 8, 'latin1');
	file.writeUInt32LE(16, 16);
	file.writeUInt16LE(1, 20);
	file.writeUInt16LE(channels, 22);
	file.writeUInt32LE(sampleRate, 24);
	file.writeUInt32LE(sampleRate * channels * 2, 28);
	file.writeUInt16LE(channels * 2, 32);
	file.writeUInt16LE(16, 34);
	file.write('data', 36, 'latin1');
	file.writeUInt32LE(dataBytes, 40);
	samples.forEach((sample, index) => file.writeInt16LE(sample, HEADER_BYTES + index * 2));
	return file;
}

/** One channel at half volume; hertz and seconds. */
export function sine(frequency: number, duration: number, sampleRate = 8000): Audio {
	const samples = new Int16Array(Math.round(duration * sampleRate));
	for (let index = 0; index < samples.length; index++) {
		samples[index] = Math.round(Math.sin((2 * Math.PI * frequency * index) / sampleRate) * 0x3fff);
	}
	return { sampleRate, channels: 1, samples };
}

export interface Tensor {
	shape: number[];
	values: Float32Array;
}

/** A safetensors file: header length (8 bytes, little-endian), JSON header padded to 8, then the tensors' bytes. */
export function encodeSafetensors(tensors: Record<string, Tensor>): Buffer {
	const header: Record<string, unknown> = {};
	const bodies: Buffer[] = [];
	let offset = 0;
	for (const [name, { shape, values }] of Object.entries(tensors)) {
		const body = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
		header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + body.length] };
		offset += body.length;
		bodies.push(body);
	}
	const json = JSON.stringify(header);
	const padded = Buffer.from(json.padEnd(Math.ceil(json.length / 8) * 8, ' '));
	const length = Buffer.alloc(8);
	length.writeBigUInt64LE(BigInt(padded.length));
	return Buffer.concat([length, padded, ...bodies]);
}

const FLOAT = 5126;
const ARRAY_BUFFER = 34962;

/** A binary glTF 2.0 file with one mesh of triangles. */
export function encodeGlb(positions: Float32Array): Buffer {
	const body = Buffer.from(positions.buffer, positions.byteOffset, positions.byteLength);
	const axes = [0, 1, 2].map((axis) => positions.filter((_, index) => index % 3 === axis));
	const json = JSON.stringify({
		asset: { version: '2.0' },
		scene: 0,
		scenes: [{ nodes: [0] }],
		nodes: [{ mesh: 0 }],
		meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
		accessors: [
			{
				bufferView: 0,
				componentType: FLOAT,
				count: positions.length / 3,
				type: 'VEC3',
				min: axes.map((values) => Math.min(...values)),
				max: axes.map((values) => Math.max(...values)),
			},
		],
		bufferViews: [{ buffer: 0, byteLength: body.length, target: ARRAY_BUFFER }],
		buffers: [{ byteLength: body.length }],
	});
	const chunks = [glbChunk('JSON', Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4, ' '))), glbChunk('BIN\0', body)];
	const header = Buffer.alloc(12);
	header.write('glTF', 0, 'latin1');
	header.writeUInt32LE(2, 4);
	header.writeUInt32LE(12 + chunks.reduce((sum, { length }) => sum + length, 0), 8);
	return Buffer.concat([header, ...chunks]);
}

function glbChunk(type: string, data: Buffer): Buffer {
	const header = Buffer.alloc(8);
	header.writeUInt32LE(data.length, 0);
	header.write(type, 4, 'latin1');
	return Buffer.concat([header, data]);
}
