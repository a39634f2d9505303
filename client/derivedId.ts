import { createHash } from 'node:crypto';

/** Ours alone, so that no other program derives the same ids. */
const NAMESPACE = Buffer.from('3d8f1f5c6c0e4b8e9a5d7c2b14e0a6f1', 'hex');
const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** UUID version 5 (RFC 9562): the same text always gives the same id, in any process. */
export function derivedId(text: string): string {
	const bytes = createHash('sha1').update(NAMESPACE).update(text).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Whether it is of the kind that `derivedId` makes; random ids are of another. */
export const isDerivedId = (id: string): boolean => DERIVED.test(id);
