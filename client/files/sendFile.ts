import type { Decoder, ServiceApi } from '../requests/serviceApi';
import type { UploadSource } from '../ports/files';
import { IntegrityError } from '../errors/errors';
import type { CallOptions } from '../ports/jobService';
import { multipartForm } from '../transport/multipart';

/** The limit for silence of a server that has never answered, in milliseconds. */
const FIRST_ANSWER_MS = 60_000;
/** Buffers on the way hold less. A server that accepts more than this is reading. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

export interface FileForm {
	url: URL;
	fields: ReadonlyArray<readonly [name: string, value: string]>;
	/** The interface's name for the field of the file. */
	fileField: string;
	fileName: string;
}

export interface SentFile<T> {
	answer: T;
	bytesSent: number;
}

/**
 * Uploads a file, and repeats it after failures. The service stores equal content once, so a repeat is safe.
 * @throws ApiError, UnreadableAnswerError, ConnectionError; IntegrityError if the file does not have its announced
 *   size.
 */
export async function sendFile<T>(
	api: ServiceApi,
	source: UploadSource,
	form: FileForm,
	decode: Decoder<T>,
	{ signal }: CallOptions,
): Promise<SentFile<T>> {
	const { url, fields, fileField, fileName } = form;
	const attempt = async (): Promise<SentFile<T>> => {
		const counted = { bytes: 0 };
		const { contentType, sizeBytes } = source;
		const body = multipartForm(fields, { field: fileField, name: fileName, contentType, sizeBytes, chunks: countChunks(source, counted) });
		const { lostLimitMs = Infinity } = api.http.contact ?? {};
		const idleMs = (): number => (hasAnswered(api, counted.bytes) ? Math.min(api.limits.uploadIdleMs, lostLimitMs) : FIRST_ANSWER_MS);
		const response = await api.send({ method: 'POST', url, ...body, signal, idleMs });
		return { answer: await api.decodeResponse(response, decode), bytesSent: counted.bytes };
	};
	return await api.repeat(attempt, { signal }, { budgetStarts: 'at_first_failure' });
}

const hasAnswered = ({ http: { contact } }: ServiceApi, bytesTaken: number): boolean =>
	contact === undefined || contact.hasAnswered || bytesTaken > MAX_BUFFERED_BYTES;

/** Opens the source only when the request is sent, so that a refused connection leaves nothing open. */
async function* countChunks(source: UploadSource, counted: { bytes: number }): AsyncGenerator<Uint8Array> {
	const { sizeBytes = Infinity } = source;
	for await (const chunk of await source.open()) {
		counted.bytes += chunk.byteLength;
		if (counted.bytes > sizeBytes) break;
		yield chunk;
	}
	if (source.sizeBytes !== undefined && counted.bytes !== sizeBytes)
		throw new IntegrityError('size', String(sizeBytes), String(counted.bytes));
}
