/** The parts of files that hold a graph, written out by hand. */
import { type EmbeddedWorkflow, readEmbeddedWorkflow } from '../../../../client';

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield await Promise.resolve(bytes);
}
const read = async (...parts: Array<Buffer | string>): Promise<EmbeddedWorkflow | undefined> =>
	await readEmbeddedWorkflow(
		inOnePiece(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))),
	);

const GRAPH = '{"1":{"class_type":"A","inputs":{}}}';
const FOUND = { api: { 1: { class_type: 'A' } } };

const uint16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8]);
const uint32 = (value: number): Buffer => Buffer.concat([uint16(value & 0xffff), uint16(value >>> 16)]);

describe('EXIF', () => {
	const ASCII = 2;
	/** Begins behind the directory, at a number that is also the letter N and zeros. */
	const TEXT_AT = 'N'.charCodeAt(0);
	const text = `prompt:${GRAPH}`;
	const entry = (tag: number, type: number, length: number, value: Buffer | string): Buffer =>
		Buffer.concat([uint16(tag), uint16(type), uint32(length), Buffer.from(value as string).subarray(0, 4)]);
	const webp = (...entries: Buffer[]): Buffer[] => {
		const directory = Buffer.concat([Buffer.from('II*\0'), uint32(8), uint16(entries.length), ...entries]);
		const exif = Buffer.concat([directory, Buffer.alloc(TEXT_AT - directory.byteLength), Buffer.from(text)]);
		return [Buffer.from('RIFF'), uint32(0), Buffer.from('WEBPEXIF'), uint32(exif.byteLength), exif];
	};
	const graph = entry(0x0110, ASCII, text.length, uint32(TEXT_AT));

	it('a short text, which is stored in its entry, is not taken for the position of a text', async () => {
		expect(await read(...webp(entry(0x0001, ASCII, 2, 'N\0\0\0'), graph))).toMatchObject(FOUND);
	});
});
