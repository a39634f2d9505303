import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';

import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { outcomeOf, UNKNOWN_TYPE, type UploadSource } from '../../../client';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';

export interface InputFile {
	source: UploadSource;
	fileName: string;
	contentType: string;
	/** n8n's id of the file, if n8n keeps it in a store. Items that carry the same file have the same id. */
	id?: string;
}

/** n8n's helper finds files next to the JSON and, in binary mode "combined", inside it. */
function binaryOf(execution: IExecuteFunctions, itemIndex: number, field: string, label: string): IBinaryData {
	try {
		return execution.helpers.assertBinaryData(itemIndex, field);
	} catch {
		throw missingFile(execution, itemIndex, field, label);
	}
}

function missingFile(execution: IExecuteFunctions, itemIndex: number, field: string, label: string): ItemFault {
	const present = Object.keys(execution.getInputData()[itemIndex]?.binary ?? {});
	return new ItemFault(
		present.length === 0 ? messages.ITEM_WITHOUT_FILES(field, label) : messages.FILE_FIELD_NOT_FOUND(field, label, present),
	);
}

async function sizeOf(execution: IExecuteFunctions, binary: IBinaryData): Promise<number | undefined> {
	if (binary.id === undefined) return Buffer.byteLength(binary.data, 'base64');
	const { fileSize } = await execution.helpers.getBinaryMetadata(binary.id);
	return fileSize;
}

/** Few large chunks take half the time of streams with Node's default of 64 KiB. */
export const CHUNK_BYTES = 1024 * 1024;

/** One chunk is in use, the one before it may still be on its way, and one is read meanwhile. */
const BUFFERS = 3;

/**
 * Reads a file into a few reused buffers, one chunk ahead, so that memory does not grow with the file. A chunk is valid
 * until the second next one is requested. To keep it longer, copy it.
 */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
	const file = await open(path);
	const buffers = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafeSlow(CHUNK_BYTES));
	const read = async (buffer: Buffer) => {
		const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
		return buffer.subarray(0, bytesRead);
	};
	// The outcome holds a failure until its chunk is requested.
	const readAhead = async (index: number) => await outcomeOf(read(buffers[index % BUFFERS] as Buffer));
	let next = readAhead(0);
	try {
		for (let index = 1; ; index++) {
			const chunk = await next;
			if (!chunk.ok) throw chunk.error;
			if (chunk.value.byteLength === 0) return;
			next = readAhead(index);
			yield chunk.value;
		}
	} finally {
		await next;
		await file.close();
	}
}

/** A file on the local disk is read without an allocation for each chunk. Other stores only stream. */
async function openStored(execution: IExecuteFunctions, id: string): Promise<AsyncIterable<Uint8Array>> {
	if (!id.startsWith('filesystem')) return await execution.helpers.getBinaryStream(id, CHUNK_BYTES);
	return fileChunks(execution.helpers.getBinaryPath(id));
}

/**
 * Returns the file in an item's binary field, in each binary mode of n8n. Stored files are streamed, files in memory decoded.
 * @throws ItemFault if the field is missing or the file is empty.
 */
export async function readInputFile(execution: IExecuteFunctions, itemIndex: number, field: string, label: string): Promise<InputFile> {
	const binary = binaryOf(execution, itemIndex, field, label);
	const { id } = binary;
	const sizeBytes = await sizeOf(execution, binary);
	if (sizeBytes === 0) {
		throw new ItemFault(messages.FILE_EMPTY(field));
	}
	const openSource = async (): Promise<AsyncIterable<Uint8Array>> =>
		id === undefined ? Readable.from([Buffer.from(binary.data, 'base64')], { objectMode: false }) : await openStored(execution, id);
	const contentType = binary.mimeType || UNKNOWN_TYPE;
	return { source: { open: openSource, sizeBytes, contentType }, fileName: binary.fileName ?? '', contentType, id };
}
