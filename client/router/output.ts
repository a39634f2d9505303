import { type HttpResponse, isHtmlType } from '../transport/response';
import type { RouterOutput } from './types';

const MEBIBYTE = 1024 * 1024;
/** JSON beyond this is not worth holding in memory: it comes as bytes. */
const LARGEST_JSON_BYTES = 64 * MEBIBYTE;
/** A file up to this size is complete before it is handed on, so that its loss on the way can be mended by asking again. */
const HELD_FILE_BYTES = 8 * MEBIBYTE;

/**
 * The result of a run, by the answer's own media type.
 * @throws UnreadableAnswerError for half a JSON text, or a web page that is not the router's; ConnectionError when the
 *   connection is lost before a small result is complete.
 */
export async function readOutput(response: HttpResponse): Promise<RouterOutput> {
	const contentType = response.contentType ?? 'application/octet-stream';
	if (isHtmlType(contentType) && response.requestId === undefined) throw response.unreadable('html');
	const isJson = /^application\/(.+\+)?json\s*(;|$)/i.test(contentType);
	const limit = isJson ? LARGEST_JSON_BYTES : HELD_FILE_BYTES;
	const announced = response.sizeBytes;
	const body = new HeldBody(response.chunks());
	await response.whole(async () => await body.hold(announced !== null && announced > limit ? 1 : limit));
	if (isJson && body.isComplete) return { kind: 'json', value: response.parseJson(body.text()) };
	return { kind: 'bytes', contentType, sizeBytes: body.isComplete ? body.heldBytes : announced, bytes: body };
}

/** A body whose beginning has been read. Its reader gets that first; one that ends early ends the connection. */
class HeldBody implements AsyncIterableIterator<Uint8Array> {
	private readonly held: Uint8Array[] = [];
	heldBytes = 0;
	isComplete = false;

	constructor(private readonly chunks: AsyncGenerator<Uint8Array, void, undefined>) {}

	/** Reads to the end, or until it has at least so many bytes and there are more. */
	async hold(bytes: number): Promise<void> {
		while (!this.isComplete && this.heldBytes <= bytes) {
			const { done, value } = await this.chunks.next();
			if (done === true) this.isComplete = true;
			else this.add(value);
		}
	}

	/** Without a byte order mark. */
	text(): string {
		return new TextDecoder().decode(Buffer.concat(this.held.splice(0), this.heldBytes));
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	async next(): Promise<IteratorResult<Uint8Array, void>> {
		const first = this.held.shift();
		return first === undefined ? await this.chunks.next() : { done: false, value: first };
	}

	async return(): Promise<IteratorResult<Uint8Array, void>> {
		this.held.length = 0;
		return await this.chunks.return();
	}

	private add(chunk: Uint8Array): void {
		this.held.push(chunk);
		this.heldBytes += chunk.byteLength;
	}
}
