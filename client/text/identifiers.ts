import { createHash } from 'node:crypto';

import { ApiError, type ServiceName } from '../errors/errors';

/** Only this package uses this namespace, so no other program derives the same ids. */
const NAMESPACE = Buffer.from('3d8f1f5c6c0e4b8e9a5d7c2b14e0a6f1', 'hex');
const DERIVED = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns a UUID version 5 (RFC 9562). The same text gives the same id in every process. */
export function derivedId(text: string): string {
	const bytes = createHash('sha1').update(NAMESPACE).update(text).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Whether the id may come from `derivedId`. Random UUIDs have another version. */
export const isDerivedId = (id: string): boolean => DERIVED.test(id);

const SENDABLE = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Whether a header can carry this idempotency key. Headers lose spaces at both ends. */
export const isSendableKey = (key: string): boolean => SENDABLE.test(key);

/** The message for a key that cannot be sent. */
export const SENDABLE_KEYS = 'An idempotency key has 1 to 255 printable ASCII characters';

/**
 * Whether the id can be one segment of a path. `.` and `..` lead to another route, and half a surrogate pair cannot be
 * encoded.
 */
export const isPathSegment = (id: string): boolean => id !== '' && id !== '.' && id !== '..' && !/\p{Surrogate}/u.test(id);

/**
 * Encodes an id as one segment of a path.
 * @param code the code with which this interface reports unknown ids.
 * @throws ApiError with this code, before anything is sent.
 */
export function pathSegment(id: string, name: ServiceName, code = 'job_not_found'): string {
	if (isPathSegment(id)) return encodeURIComponent(id);
	throw new ApiError({ interface: name, code, status: 404, message: 'The id is not valid' });
}
