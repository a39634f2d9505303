import type { Texts } from './texts';

const ENTRY_BYTES = 12;
const ASCII = 2;
/** A text of up to four bytes stands in its entry. */
const INLINE_BYTES = 4;

/** ComfyUI writes `prompt:{…}` into Model, `workflow:{…}` into Make, and what else it has into the tags below. */
const NAMED = /^(prompt|workflow):/i;
const LONGEST_NAME = 'workflow:'.length;

/** The texts of the first directory, in either order of bytes; what is broken in it is passed over. */
export function readExif(bytes: Buffer, texts: Texts): void {
	const tiff = bytes.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? bytes.subarray(6) : bytes;
	const isLittle = tiff.toString('latin1', 0, 2) === 'II';
	if (tiff.byteLength < 8 || (!isLittle && tiff.toString('latin1', 0, 2) !== 'MM')) return;
	const u16 = (at: number): number => (at + 2 > tiff.byteLength ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
	const u32 = (at: number): number => (at + 4 > tiff.byteLength ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
	const directory = u32(4);
	for (let index = 0, count = u16(directory); index < count; index++) {
		const entry = directory + 2 + index * ENTRY_BYTES;
		if (entry + ENTRY_BYTES > tiff.byteLength) return;
		if (u16(entry + 2) !== ASCII) continue;
		const length = u32(entry + 4);
		const start = length <= INLINE_BYTES ? entry + 8 : u32(entry + 8);
		const name = NAMED.exec(tiff.toString('latin1', start, Math.min(start + LONGEST_NAME, tiff.byteLength)))?.[1];
		if (name !== undefined) texts.add(name, tiff.subarray(start + name.length + 1, start + length));
	}
}
