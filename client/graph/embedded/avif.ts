import type { ByteReader } from './byteReader';
import type { GraphTexts } from './graphTexts';
import { readExif } from './images';
import { BOX_HEAD_BYTES, type Box, readBoxes } from './video';

/** A part of the file. */
interface Extent {
	offset: number;
	length: number;
}

/** An AVIF image consists of boxes, as MP4 does. `meta` says where its EXIF is, which follows among the pixels. */
export async function readAvif(reader: ByteReader, texts: GraphTexts): Promise<void> {
	let position = 0;
	for (;;) {
		const head = await reader.take(BOX_HEAD_BYTES);
		const length = head.readUInt32BE(0) - BOX_HEAD_BYTES;
		if (length < 0) return;
		position += BOX_HEAD_BYTES + length;
		if (head.toString('latin1', 4) !== 'meta') {
			await reader.skip(length);
			continue;
		}
		const extent = findExif(await reader.take(length), texts);
		if (extent === undefined || extent.offset < position) return;
		await reader.skip(extent.offset - position);
		return readExifItem(await reader.take(extent.length), texts);
	}
}

/** An item begins with the number of bytes between this number and the EXIF. */
function readExifItem(item: Buffer, texts: GraphTexts): void {
	if (item.byteLength > 4) readExif(item.subarray(4 + item.readUInt32BE(0)), texts);
}

const VERSION_BYTES = 4;

function findExif(meta: Buffer, texts: GraphTexts): Extent | undefined {
	const boxes = new Map([...readBoxes(meta.subarray(VERSION_BYTES), texts)].map(({ type, body }) => [type, body]));
	const [items, locations] = [boxes.get('iinf'), boxes.get('iloc')];
	if (items === undefined || locations === undefined) return undefined;
	const entries = readBoxes(items.subarray(VERSION_BYTES + (items[0] === 0 ? 2 : 4)), texts);
	const id = [...entries].map(readExifId).find((one) => one !== undefined);
	return id === undefined ? undefined : findExtent(locations, id);
}

/** @returns the id of the item if it is EXIF. Versions before 2 have no type. */
function readExifId({ type, body }: Box): number | undefined {
	const version = body[0] ?? 0;
	const idBytes = version === 2 ? 2 : 4;
	const typeAt = VERSION_BYTES + idBytes + 2;
	if (type !== 'infe' || version < 2 || body.toString('latin1', typeAt, typeAt + 4) !== 'Exif') return undefined;
	return body.readUIntBE(VERSION_BYTES, idBytes);
}

/** Real images have fewer items. */
const MOST_ITEMS = 1_000;

/** @returns where the first part of an item is; undefined if it is not in the file itself, or the box is cut off. */
function findExtent(locations: Buffer, wantedId: number): Extent | undefined {
	const version = locations[0] ?? 0;
	let at = VERSION_BYTES;
	const take = (bytes: number): number => {
		const end = at + bytes;
		// Numbers of eight bytes are below 2⁴⁸ in any file.
		const start = bytes === 8 ? at + 2 : at;
		at = end;
		return end > locations.byteLength || end === start ? 0 : locations.readUIntBE(start, end - start);
	};
	const sizes = take(2);
	const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
	const indexBytes = version === 0 ? 0 : sizes & 15;
	if ([offsetBytes, lengthBytes, baseBytes, indexBytes].some((bytes) => ![0, 4, 8].includes(bytes))) return undefined;
	const count = Math.min(take(version < 2 ? 2 : 4), MOST_ITEMS);
	for (let item = 0; item < count && at < locations.byteLength; item++) {
		const id = take(version < 2 ? 2 : 4);
		const method = version === 0 ? 0 : take(2) & 15;
		take(2);
		const base = take(baseBytes);
		const extents = Array.from({ length: Math.min(take(2), MOST_ITEMS) }, () => {
			take(indexBytes);
			return { offset: base + take(offsetBytes), length: take(lengthBytes) };
		});
		if (id === wantedId) return method === 0 ? extents[0] : undefined;
	}
	return undefined;
}
