/** The file ended. What was read before the end still counts. */
export class EndOfFile extends Error {}

/** A part of the file is larger than any workflow. */
export class TooLong extends Error {}

/** Longer texts are not read. The largest workflows, with images inside, have a few megabytes. */
export const LONGEST_BYTES = 32 * 1024 * 1024;

/** Reads a stream from front to back. It keeps only the bytes that a caller asked for, and the rest of their chunk. */
export class ByteReader {
	private readonly source: AsyncIterator<Uint8Array>;
	private buffered: Uint8Array = new Uint8Array();

	constructor(chunks: AsyncIterable<Uint8Array>) {
		this.source = chunks[Symbol.asyncIterator]();
	}

	private async nextChunk(): Promise<Uint8Array> {
		const { value, done } = await this.source.next();
		if (done === true) throw new EndOfFile();
		return value;
	}

	/** @returns a copy, because a source may use its buffers again. @throws EndOfFile, and TooLong above `LONGEST_BYTES`. */
	async take(count: number): Promise<Buffer> {
		if (count > LONGEST_BYTES) throw new TooLong();
		const parts: Uint8Array[] = [];
		for (let missing = count; missing > 0;) {
			if (this.buffered.byteLength === 0) this.buffered = await this.nextChunk();
			const part = this.buffered.subarray(0, missing);
			parts.push(Buffer.from(part));
			this.buffered = this.buffered.subarray(part.byteLength);
			missing -= part.byteLength;
		}
		return Buffer.concat(parts);
	}

	/** @throws EndOfFile */
	async skip(count: number): Promise<void> {
		for (let missing = count; missing > 0;) {
			if (this.buffered.byteLength === 0) this.buffered = await this.nextChunk();
			const skipped = Math.min(missing, this.buffered.byteLength);
			this.buffered = this.buffered.subarray(skipped);
			missing -= skipped;
		}
	}

	/** @returns the next bytes without taking them: fewer than `count` if the file is shorter. */
	async peek(count: number): Promise<Buffer> {
		const parts = [Buffer.from(this.buffered)];
		for (let length = this.buffered.byteLength; length < count;) {
			const { value, done } = await this.source.next();
			if (done === true) break;
			parts.push(Buffer.from(value));
			length += value.byteLength;
		}
		this.buffered = Buffer.concat(parts);
		return Buffer.from(this.buffered.subarray(0, count));
	}

	/** @returns all bytes up to the end of the file. @throws TooLong */
	async takeRest(): Promise<Buffer> {
		const parts = [Buffer.from(this.buffered)];
		let length = this.buffered.byteLength;
		this.buffered = new Uint8Array();
		for (;;) {
			const { value, done } = await this.source.next();
			if (done === true) return Buffer.concat(parts);
			length += value.byteLength;
			if (length > LONGEST_BYTES) throw new TooLong();
			parts.push(Buffer.from(value));
		}
	}

	/** Ends the source, which may not have been read to its end. */
	async close(): Promise<void> {
		await this.source.return?.();
	}
}
