import type { ByteReader } from './byteReader';
import { readExif } from './exif';
import type { Texts } from './texts';

const HEAD_BYTES = 12;

/** Chunks fill up to an even length. */
const filled = (length: number): number => length + (length % 2);

export async function readWebp(reader: ByteReader, texts: Texts): Promise<void> {
	await reader.skip(HEAD_BYTES);
	while (texts.goesOn()) {
		const head = await reader.take(8);
		const length = head.readUInt32LE(4);
		if (head.toString('latin1', 0, 4) === 'EXIF') return readExif(await reader.take(length), texts);
		await reader.skip(filled(length));
	}
}
