import type { ByteReader } from './byteReader';
import type { RequestHead } from './requestHead';

/** The body of a request: as long as it says, or in chunks. Read when somebody wants it, and kept. */
export class RequestBody {
	private reading?: Promise<Buffer | undefined>;

	constructor(
		private readonly bytes: ByteReader,
		private readonly headers: RequestHead['headers'],
	) {}

	async begun(): Promise<void> {
		if (!this.isEmpty) await this.bytes.hasSome();
	}

	/** @returns undefined where the caller leaves before its end. */
	async whole(): Promise<Buffer | undefined> {
		this.reading ??= this.isChunked ? this.inChunks() : this.sized(Number(this.headers['content-length'] ?? 0));
		return await this.reading;
	}

	private get isChunked(): boolean {
		return this.headers['transfer-encoding'] === 'chunked';
	}

	private get isEmpty(): boolean {
		return !this.isChunked && Number(this.headers['content-length'] ?? 0) === 0;
	}

	private async inChunks(): Promise<Buffer | undefined> {
		const chunks: Buffer[] = [];
		for (;;) {
			const line = await this.bytes.until('\r\n');
			const size = parseInt(line?.toString('latin1') ?? '', 16);
			const chunk = Number.isNaN(size) ? undefined : await this.sized(size);
			const end = await this.bytes.until('\r\n');
			if (chunk === undefined || end === undefined) return undefined;
			if (size === 0) return Buffer.concat(chunks);
			chunks.push(chunk);
		}
	}

	private async sized(size: number): Promise<Buffer | undefined> {
		const parts: Buffer[] = [];
		for (let left = size; left > 0;) {
			const part = await this.bytes.some(left);
			if (part === undefined) return undefined;
			parts.push(part);
			left -= part.length;
		}
		return Buffer.concat(parts, size);
	}
}
