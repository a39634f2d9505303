import type { ApiLimits } from '../../api';
import type { FileKind } from '../../graph/inputs/files';
import type { CallOptions, UploadSource } from '../../ports';
import type { Egress } from '../../transport/egress';
import { outcomeOf } from '../../transport/outcome';
import { download } from '../download';
import { HEAD_BYTES, isUnfit, typeOfBytes, typeOfFile } from '../fileType';
import { WebFileError, type WebFileFacts, webFileError } from './fault';
import { peeked } from './peeked';
import { WebApi } from './webApi';

export interface WebFileOptions extends CallOptions {
	egress?: Egress;
	/** More is refused: before it is received where the server says its size, else as soon as it is passed. */
	largestBytes: number;
	/** What the file is for: what it certainly cannot be used for is refused. */
	kind?: FileKind;
	/** Other time limits, in milliseconds. */
	limits?: Partial<ApiLimits>;
}

export interface WebFile {
	/** As the server names it, or as its address ends. Not safe to save under; may be empty. */
	fileName: string;
	/** Streams from the server. A second reading fetches the file again. */
	source: UploadSource;
	/** Ends whatever is still running. */
	close(): Promise<void>;
}

interface Bounds {
	address: string;
	limitBytes: number;
}

interface Beginning {
	fileName: string;
	contentType: string;
	sizeBytes: number | null;
	bytes: AsyncGenerator<Uint8Array, void, undefined>;
}

/**
 * Opens a file on the web and looks at its first bytes; nothing of the rest is received until the source is read.
 * Redirects are followed, each hop by the rules of `egress`; no credential of the service goes along.
 * @throws WebFileError for what is no file, or not one of this kind; StoppedError.
 */
export async function openWebFile(address: string, options: WebFileOptions): Promise<WebFile> {
	const url = webAddress(address);
	const api = new WebApi(url, options.egress, options.limits);
	const begin = async () => await beginning(api, url, options);
	const first = await outcomeOf(begin());
	if (!first.ok) {
		await api.http.close();
		throw first.error;
	}
	let held: Beginning | undefined = first.value;
	const { fileName, contentType, sizeBytes } = held;
	const open = async () => {
		const { bytes } = held ?? (await begin());
		held = undefined;
		return bytes;
	};
	return { fileName, source: { open, contentType, ...(sizeBytes !== null && { sizeBytes }) }, close: async () => await api.http.close() };
}

function webAddress(text: string): URL {
	const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new WebFileError('', { fault: 'bad_address' });
	return url;
}

/** Receives as much as it takes to see what the file is. */
async function beginning(api: WebApi, url: URL, { largestBytes, kind, signal }: WebFileOptions): Promise<Beginning> {
	const shown = url.origin + url.pathname;
	const fault = (facts: WebFileFacts) => new WebFileError(shown, facts);
	try {
		const file = await download(api, { url: url.href }, { signal });
		const { sizeBytes } = file;
		if (sizeBytes !== null && sizeBytes > largestBytes) throw fault({ fault: 'too_large', limitBytes: largestBytes, sizeBytes });
		const { head, bytes } = await peeked(received(file.bytes, { address: shown, limitBytes: largestBytes }), HEAD_BYTES);
		if (head.byteLength === 0) throw fault({ fault: 'empty' });
		const fileName = file.fileName ?? lastPart(url);
		const seen = typeOfBytes(head);
		const isMeant = !isUnfit(seen, kind);
		if (seen === 'text/html' && !(isMeant && /\.x?html?$/i.test(fileName))) throw fault({ fault: 'web_page' });
		if (!isMeant) throw fault({ fault: 'wrong_kind', kind: kind ?? 'any', contentType: seen });
		return { fileName, contentType: typeOfFile(head, file.contentType, fileName), sizeBytes, bytes };
	} catch (error) {
		throw webFileError(error, shown, 0);
	}
}

/** Passes the bytes on, as many as may be. */
async function* received(bytes: AsyncIterable<Uint8Array>, { address, limitBytes }: Bounds): AsyncGenerator<Uint8Array, void, undefined> {
	let count = 0;
	try {
		for await (const chunk of bytes) {
			count += chunk.byteLength;
			if (count > limitBytes) throw new WebFileError(address, { fault: 'too_large', limitBytes, sizeBytes: null });
			yield chunk;
		}
	} catch (error) {
		throw webFileError(error, address, count);
	}
}

/** Of the path, decoded where it can be. */
function lastPart({ pathname }: URL): string {
	const last = pathname.split('/').pop() ?? '';
	try {
		return decodeURIComponent(last);
	} catch {
		return last;
	}
}
