/** A stream whose first bytes have been read ahead. Its consumer gets these first. Ending it early ends its source. */
export class PeekedBytes implements AsyncIterableIterator<Uint8Array> {
	private readonly source: AsyncIterator<Uint8Array>;
	private readonly buffered: Uint8Array[] = [];
	bufferedBytes = 0;
	/** Whether the source has ended, so that all bytes are there. */
	isComplete = false;

	constructor(stream: AsyncIterable<Uint8Array>) {
		this.source = stream[Symbol.asyncIterator]();
	}

	/** Reads ahead until at least this many bytes are there, or to the end. */
	async readAhead(bytes: number): Promise<void> {
		while (!this.isComplete && this.bufferedBytes < bytes) {
			const { done, value } = await this.source.next();
			if (done === true) this.isComplete = true;
			else this.add(value);
		}
	}

	/** The source may reuse the memory of a chunk. */
	private add(chunk: Uint8Array): void {
		this.buffered.push(Buffer.from(chunk));
		this.bufferedBytes += chunk.byteLength;
	}

	/** Returns the bytes that have been read ahead. */
	get head(): Buffer {
		return Buffer.concat(this.buffered);
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<Uint8Array, unknown>> {
		const first = this.buffered.shift();
		return first === undefined ? await this.source.next() : { done: false, value: first };
	}

	async return(): Promise<IteratorResult<Uint8Array, unknown>> {
		this.buffered.length = 0;
		return (await this.source.return?.()) ?? { done: true, value: undefined };
	}
}

export interface PeekedStream {
	/** The first bytes, or all if there are fewer. */
	head: Buffer;
	/** All bytes, including the first ones. */
	bytes: PeekedBytes;
}

/** Reads this many bytes ahead without losing them for the consumer. */
export async function peek(stream: AsyncIterable<Uint8Array>, length: number): Promise<PeekedStream> {
	const bytes = new PeekedBytes(stream);
	await bytes.readAhead(length);
	return { head: bytes.head.subarray(0, length), bytes };
}
