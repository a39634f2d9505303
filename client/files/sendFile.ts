import type { Decoder, ServiceApi } from '../api';
import { IntegrityError } from '../errors';
import type { CallOptions, UploadSource } from '../ports';
import { multipartForm } from '../transport/multipart';

/** Silence from a server that has not answered anything yet. */
const FIRST_ANSWER_MS = 60_000;
/** Sockets on the way hold fewer: a server that takes more than this reads them. */
const MOST_BUFFERED_BYTES = 16 * 1024 * 1024;

export interface FileForm {
	url: URL;
	fields: ReadonlyArray<readonly [name: string, value: string]>;
	/** What the interface calls the file's own field. */
	fileField: string;
	fileName: string;
}

export interface SentFile<T> {
	answer: T;
	bytesSent: number;
}

/**
 * Sends a file until the service has it. Content de-duplicates, so that sending the same file again is safe.
 * @throws ApiError, UnreadableAnswerError, ConnectionError; IntegrityError when the file is not of its announced size.
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
		const body = multipartForm(fields, { field: fileField, name: fileName, contentType, sizeBytes, chunks: count(source, counted) });
		const idleMs = (): number => (isHeard(api, counted.bytes) ? api.limits.uploadIdleMs : FIRST_ANSWER_MS);
		const response = await api.send({ method: 'POST', url, ...body, signal, idleMs });
		return { answer: await api.decoded(response, decode), bytesSent: counted.bytes };
	};
	return await api.repeat(attempt, { signal }, { budgetStarts: 'at_first_failure' });
}

const isHeard = ({ http: { contact } }: ServiceApi, bytesTaken: number): boolean =>
	contact === undefined || contact.hasAnswered || bytesTaken > MOST_BUFFERED_BYTES;

/** Opened only once the request is being sent, so that a refused connection leaves nothing open. */
async function* count(source: UploadSource, counted: { bytes: number }): AsyncGenerator<Uint8Array> {
	const { sizeBytes = Infinity } = source;
	counted.bytes = 0;
	for await (const chunk of await source.open()) {
		counted.bytes += chunk.byteLength;
		if (counted.bytes > sizeBytes) break;
		yield chunk;
	}
	if (source.sizeBytes !== undefined && counted.bytes !== sizeBytes)
		throw new IntegrityError('size', String(sizeBytes), String(counted.bytes));
}
