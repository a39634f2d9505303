export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const parts: Uint8Array[] = [];
	for await (const chunk of chunks) parts.push(chunk);
	return Buffer.concat(parts);
}

export async function* chunksOf(...parts: Array<string | Uint8Array>): AsyncGenerator<Uint8Array> {
	for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
}

/** Bytes that differ from place to place, so that a gap or a repeat changes them. */
export function patterned(length: number): Buffer {
	const words = new Uint32Array(Math.ceil(length / 4));
	for (let at = 0; at < words.length; at++) words[at] = at * 2654435761;
	return Buffer.from(words.buffer, 0, length);
}

/** What a promise rejects with. @throws when it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
	const outcome = await promise.then(
		() => undefined,
		(error: unknown) => ({ error }),
	);
	if (outcome === undefined) throw new Error('It did not fail');
	return outcome.error;
}
