export interface Peeked {
	/** The first bytes, or all there are. */
	head: Uint8Array;
	/** All of them, the first again. Ending early ends the source. */
	bytes: AsyncGenerator<Uint8Array, void, undefined>;
}

/** Reads until this many bytes are there, and hands them out once more. */
export async function peeked(source: AsyncGenerator<Uint8Array, void, undefined>, length: number): Promise<Peeked> {
	const first: Uint8Array[] = [];
	for (let bytes = 0; bytes < length;) {
		const { value, done } = await source.next();
		if (done === true) break;
		// What gives bytes may use their memory again.
		first.push(Buffer.from(value));
		bytes += value.byteLength;
	}
	return { head: Buffer.concat(first).subarray(0, length), bytes: again(first, source) };
}

async function* again(first: Uint8Array[], rest: AsyncGenerator<Uint8Array, void, undefined>): AsyncGenerator<Uint8Array, void, undefined> {
	try {
		yield* first;
		yield* rest;
	} finally {
		await rest.return();
	}
}
