import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECODERS = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
} as const;

/** The codings that a body stands in, in the order in which they were put on. What is no coding of HTTP is left as it is. */
export const codingsOf = (header: string | undefined): Array<keyof typeof DECODERS> =>
	(header ?? '')
		.toLowerCase()
		.split(',')
		.map((word) => word.trim())
		.filter((word): word is keyof typeof DECODERS => Object.hasOwn(DECODERS, word));

/** More than a gateway or two put on; each unpacks to a thousand times as much. */
export const MOST_CODINGS = 3;

/** The bytes under their codings. We ask for none, and some servers and gateways encode all the same. */
export async function* decoded(chunks: AsyncIterable<Uint8Array>, header: string | undefined): AsyncGenerator<Uint8Array, void, undefined> {
	const decoders = codingsOf(header)
		.reverse()
		.map((coding) => DECODERS[coding]());
	const last = decoders.at(-1);
	if (last === undefined) return yield* chunks;
	// Whatever ends it early ends the reading below as well.
	pipeline([Readable.from(chunks), ...decoders]).catch(() => undefined);
	for await (const chunk of last) yield chunk as Uint8Array;
}
