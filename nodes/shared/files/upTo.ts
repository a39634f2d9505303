/** Passes bytes on. @throws what `tooMany` makes, once there are more than the limit. */
export async function* upTo(limitBytes: number, bytes: AsyncIterable<Uint8Array>, tooMany: () => Error): AsyncGenerator<Uint8Array> {
	let passed = 0;
	for await (const chunk of bytes) {
		passed += chunk.byteLength;
		if (passed > limitBytes) throw tooMany();
		yield chunk;
	}
}
