/** What the bytes of a file say about its length, for servers that do not send it. */

/** This many bytes at the end of a file are enough to find its end mark. */
export const TAIL_BYTES = 4 * 1024;

const END_MARKS: ReadonlyArray<readonly [signature: string, mark: string]> = [
	['\x89PNG\r\n\x1a\n', 'IEND'],
	['\xff\xd8\xff', '\xff\xd9'],
];

/** A program that streams a WAV file does not know its size, and writes 0 or the largest number. */
const UNKNOWN_SIZES: ReadonlySet<number> = new Set([0, 0xffffffff]);

/** Returns the end of the last box of an ISO media file whose beginning is within these bytes. */
function endOfBoxes(head: Buffer): number {
	let end = 0;
	while (end + 8 <= head.length) {
		const size = head.readUInt32BE(end);
		const isLong = size === 1 && end + 16 <= head.length;
		const length = isLong ? Number(head.readBigUInt64BE(end + 8)) : size;
		// 0: the box ends with the file.
		if (length < 8) break;
		end += length;
	}
	return end;
}

/** Returns the number of bytes that the file has at least, by its own header; 0 if the header does not say. */
function declaredBytes(head: Buffer): number {
	if (head.length < 12) return 0;
	const start = head.toString('latin1', 0, 4);
	if (start === 'RIFF') return UNKNOWN_SIZES.has(head.readUInt32LE(4)) ? 0 : 8 + head.readUInt32LE(4);
	if (start === 'glTF') return head.readUInt32LE(8);
	return head.toString('latin1', 4, 8) === 'ftyp' ? endOfBoxes(head) : 0;
}

/**
 * Whether the bytes show that a file was cut short.
 * @param head the first bytes, at least 4 KiB of a longer file.
 * @param tail the last bytes, at least `TAIL_BYTES` of a longer file.
 */
export function isCutShort(head: Buffer, tail: Buffer, totalBytes: number): boolean {
	const mark = END_MARKS.find(([signature]) => head.toString('latin1', 0, signature.length) === signature)?.[1];
	if (mark !== undefined) return !tail.includes(Buffer.from(mark, 'latin1'));
	return totalBytes < declaredBytes(head);
}
