import { randomUUID } from 'node:crypto';

export interface MultipartFile {
	/** Name of its form field. */
	field: string;
	/** Only the last part of a path is sent. */
	name: string;
	contentType: string;
	sizeBytes?: number;
	chunks: AsyncIterable<Uint8Array>;
}

export interface MultipartForm {
	headers: { 'content-type': string; 'content-length'?: string };
	body: AsyncIterable<Uint8Array>;
}

/**
 * Builds a multipart/form-data body: the fields in the given order, then the file. The hosted service refuses a file
 * that comes before its fields. The chunks of the file pass through uncopied, one at a time.
 */
export function multipartForm(fields: ReadonlyArray<readonly [name: string, value: string]>, file: MultipartFile): MultipartForm {
	const boundary = `----comfy-${randomUUID()}`;
	const head = Buffer.from(fields.map(([name, value]) => fieldPart(boundary, name, value)).join('') + filePart(boundary, file));
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	return {
		headers: {
			'content-type': `multipart/form-data; boundary=${boundary}`,
			...(file.sizeBytes !== undefined && { 'content-length': String(head.length + file.sizeBytes + tail.length) }),
		},
		body: concatenate(head, file.chunks, tail),
	};
}

const fieldPart = (boundary: string, name: string, value: string): string =>
	`--${boundary}\r\nContent-Disposition: form-data; name="${escapeQuoted(name)}"\r\n\r\n${value}\r\n`;

function filePart(boundary: string, { field, name, contentType }: MultipartFile): string {
	const fileName = escapeQuoted(name.split(/[/\\]/).pop() || 'file');
	return (
		`--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${fileName}"\r\n` +
		`Content-Type: ${contentType.replace(/[^\x20-\x7e]/g, '') || 'application/octet-stream'}\r\n\r\n`
	);
}

/** The escapes of the HTML standard's multipart/form-data encoding. */
const escapeQuoted = (text: string): string => text.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');

async function* concatenate(head: Uint8Array, chunks: AsyncIterable<Uint8Array>, tail: Uint8Array): AsyncGenerator<Uint8Array> {
	yield head;
	yield* chunks;
	yield tail;
}
