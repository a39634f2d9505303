import { Readable } from 'node:stream';

import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { UNKNOWN_TYPE, type UploadSource } from '../../../client';
import { CHUNK_BYTES, fileChunks } from './fileChunks';
import type { NamedCredential } from '../credentials';
import { ItemFault } from '../itemFault';
import { resultMask } from '../withoutSecrets';
import { LEAST_LIMIT_BYTES, type StoreLimit, storeLimit } from './storeLimit';

export interface InputFile {
	source: UploadSource;
	fileName: string;
	contentType: string;
	/** n8n's own, where it keeps the file in a store: items that carry one file on have the same. */
	id?: string;
}

/** n8n's own look-up, for files beside the JSON and (binary mode "combined") inside it, with a message of ours. */
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
		`The item has no file in the field "${field}"`,
		present.length === 0
			? `Its input carries no file at all. Put a node before it that outputs one, e.g. HTTP Request or Read Files, and name its field under ${label}.`
			: `Set ${label} to one of: ${present.join(', ')}.`,
	);
}

async function sizeOf(execution: IExecuteFunctions, binary: IBinaryData): Promise<number | undefined> {
	if (binary.id === undefined) return Buffer.byteLength(binary.data, 'base64');
	const { fileSize } = await execution.helpers.getBinaryMetadata(binary.id);
	return fileSize;
}

/** A file on this disk is read by ourselves, without an allocation for each chunk; other stores only stream. */
async function openStored(execution: IExecuteFunctions, id: string): Promise<AsyncIterable<Uint8Array>> {
	if (!id.startsWith('filesystem')) return await execution.helpers.getBinaryStream(id, CHUNK_BYTES);
	return fileChunks(execution.helpers.getBinaryPath(id));
}

/**
 * The file in an item's binary field, in every binary mode of n8n: stored files are streamed, in-memory ones decoded.
 * @throws ItemFault when the field is missing or the file is empty.
 */
export async function inputFile(execution: IExecuteFunctions, itemIndex: number, field: string, label: string): Promise<InputFile> {
	const binary = binaryOf(execution, itemIndex, field, label);
	const { id } = binary;
	const sizeBytes = await sizeOf(execution, binary);
	if (sizeBytes === 0) {
		throw new ItemFault(`The file in the field "${field}" is empty`, 'Check the node that made it; nothing was sent.');
	}
	const open = async (): Promise<AsyncIterable<Uint8Array>> =>
		id === undefined ? Readable.from([Buffer.from(binary.data, 'base64')], { objectMode: false }) : await openStored(execution, id);
	const contentType = binary.mimeType || UNKNOWN_TYPE;
	return { source: { open, sizeBytes, contentType }, fileName: binary.fileName ?? '', contentType, id };
}

/** Passes bytes on; past the least limit it asks once which one holds, and refuses what is larger. */
async function* withinLimit(execution: IExecuteFunctions, bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
	let passed = 0;
	let limit: StoreLimit | undefined;
	for await (const chunk of bytes) {
		passed += chunk.byteLength;
		if (passed > LEAST_LIMIT_BYTES) {
			limit ??= await storeLimit(execution);
			if (passed > limit.bytes) throw limit.refusal(name);
		}
		yield chunk;
	}
}

/**
 * Asked before a file is fetched.
 * @param announcedBytes 0 where the size is not known.
 * @throws ItemFault when the file is too large for how n8n keeps files.
 */
export async function checkFits(execution: IExecuteFunctions, name: string, announcedBytes: number): Promise<void> {
	if (announcedBytes <= LEAST_LIMIT_BYTES) return;
	const limit = await storeLimit(execution);
	if (announcedBytes > limit.bytes) throw limit.refusal(name);
}

/**
 * Streams a file into n8n's store; whatever ends the stream early rejects and leaves nothing behind.
 * @param announcedBytes 0 where the size is not known.
 * @param credential whose secrets are masked in the file's name.
 * @throws ItemFault when the file is too large for how n8n keeps files.
 */
export async function storeFile(
	execution: IExecuteFunctions,
	bytes: AsyncIterable<Uint8Array>,
	file: { name: string; contentType: string; announcedBytes: number },
	credential: NamedCredential,
): Promise<IBinaryData> {
	const { name, contentType } = resultMask(credential)({ name: file.name, contentType: file.contentType });
	await checkFits(execution, name, file.announcedBytes);
	const stream = Readable.from(withinLimit(execution, bytes, name), { objectMode: false });
	return await execution.helpers.prepareBinaryData(stream, name, contentType);
}
