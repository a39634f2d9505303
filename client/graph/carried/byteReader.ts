/** The file is over: what was found until then counts. */
export class EndOfFile extends Error {}

/** A text that is longer than any workflow's. */
export class TooLong extends Error {}

/** Longer ones are not read: the largest workflows, with pictures inside, have a few megabytes. */
export const LONGEST_BYTES = 32 * 1024 * 1024;

/** Reads a stream from front to back and holds no more of it than is asked for. */
export class ByteReader {
	private readonly source: AsyncIterator<Uint8Array>;
	private held: Uint8Array = new Uint8Array();
	/** Of all that was taken and skipped. */
	position = 0;

	constructor(chunks: AsyncIterable<Uint8Array>) {
		this.source = chunks[Symbol.asyncIterator]();
	}

	private async next(): Promise<Uint8Array> {
		const { value, done } = await this.source.next();
		if (done === true) throw new EndOfFile();
		return value;
	}

	/** @returns a copy: sources may use their buffers again. @throws EndOfFile, and TooLong for more than anybody needs. */
	async take(count: number): Promise<Buffer> {
		if (count > LONGEST_BYTES) throw new TooLong();
		const parts: Uint8Array[] = [];
		for (let missing = count; missing > 0;) {
			if (this.held.byteLength === 0) this.held = await this.next();
			const part = this.held.subarray(0, missing);
			parts.push(Buffer.from(part));
			this.held = this.held.subarray(part.byteLength);
			missing -= part.byteLength;
		}
		this.position += count;
		return Buffer.concat(parts);
	}

	async skip(count: number): Promise<void> {
		for (let missing = count; missing > 0;) {
			if (this.held.byteLength === 0) this.held = await this.next();
			const passed = Math.min(missing, this.held.byteLength);
			this.held = this.held.subarray(passed);
			missing -= passed;
			this.position += passed;
		}
	}

	/** The first bytes, which stay to be taken; fewer where the file has no more. */
	async peek(count: number): Promise<Buffer> {
		const parts = [Buffer.from(this.held)];
		for (let length = this.held.byteLength; length < count;) {
			const { value, done } = await this.source.next();
			if (done === true) break;
			parts.push(Buffer.from(value));
			length += value.byteLength;
		}
		this.held = Buffer.concat(parts);
		return Buffer.from(this.held.subarray(0, count));
	}

	/** All that is left. @throws TooLong */
	async rest(): Promise<Buffer> {
		const parts = [Buffer.from(this.held)];
		let length = this.held.byteLength;
		this.held = new Uint8Array();
		for (;;) {
			const { value, done } = await this.source.next();
			if (done === true) return Buffer.concat(parts);
			length += value.byteLength;
			if (length > LONGEST_BYTES) throw new TooLong();
			parts.push(Buffer.from(value));
		}
	}

	/** Lets go of a source that is not read to its end. */
	async close(): Promise<void> {
		await this.source.return?.();
	}
}
