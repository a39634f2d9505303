import type { JobOutput } from '../../../../client';
import { LONGEST_TEXT_BYTES } from '../jobItems';

/** What passes by on the way into n8n's store: how much it is, and a text to read. */
export class Passing {
	bytes = 0;
	private chunks: Uint8Array[] = [];

	constructor(private readonly isText: boolean) {}

	async *watch(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
		for await (const chunk of source) {
			this.bytes += chunk.byteLength;
			if (this.isText && this.bytes <= LONGEST_TEXT_BYTES) this.chunks.push(Buffer.from(chunk));
			yield chunk;
		}
	}

	/** Null where it is too long for an item. */
	get text(): string | null {
		return this.bytes <= LONGEST_TEXT_BYTES ? new TextDecoder().decode(Buffer.concat(this.chunks)) : null;
	}
}

/** The output with what was learned of it on the way: servers may not know its size, and leave a text in its file. */
export const learned = (output: JobOutput, passing: Passing): JobOutput => ({
	...output,
	size_bytes: output.size_bytes || passing.bytes,
	...(output.type === 'text' && { text: passing.text }),
});
