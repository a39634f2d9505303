import { createHash } from 'node:crypto';

/** Ours alone, so that no other program derives the same keys. */
const NAMESPACE = Buffer.from('3d8f1f5c6c0e4b8e9a5d7c2b14e0a6f1', 'hex');

/** UUID version 5 (RFC 9562): the same parts always give the same key, in any process. */
export function derivedKey(parts: Array<string | number>): string {
	const bytes = createHash('sha1').update(NAMESPACE).update(JSON.stringify(parts)).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
