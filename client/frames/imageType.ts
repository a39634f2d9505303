/** The first bytes of the kinds of images that previews are made of. */
const BEGINNINGS: ReadonlyArray<readonly [contentType: string, bytes: readonly number[]]> = [
	['image/jpeg', [0xff, 0xd8, 0xff]],
	['image/png', [0x89, 0x50, 0x4e, 0x47]],
	['image/gif', [0x47, 0x49, 0x46, 0x38]],
	['image/webp', [0x52, 0x49, 0x46, 0x46]],
];

/** What an image says it is. */
export const imageTypeOf = (image: Uint8Array): string | undefined =>
	BEGINNINGS.find(([, bytes]) => bytes.every((byte, at) => image[at] === byte))?.[0];
