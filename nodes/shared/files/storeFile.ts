import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';

import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import type { NamedCredential } from '../credentials';
import { ItemFault } from '../itemFault';
import { messages } from '../messages/catalogue';
import type { Words } from '../messages/words';
import { resultMask } from '../withoutSecrets';

/** The largest file that n8n can keep in its store, and the words for a larger one. */
interface StoreLimit {
	bytes: number;
	tooLarge(name: string): Words;
}

const MIB = 1024 * 1024;

/** n8n fails above this size, because the file's base64 text would exceed V8's longest string. */
export const MEMORY_LIMIT: StoreLimit = {
	bytes: 288 * MIB,
	tooLarge: messages.FILE_TOO_LARGE_FOR_MEMORY,
};

/** n8n saves a larger file but cannot read it, because the driver takes it as a hex text that exceeds V8's longest string. */
const POSTGRES_LIMIT: StoreLimit = {
	bytes: 255 * MIB,
	tooLarge: messages.FILE_TOO_LARGE_FOR_POSTGRES,
};

const NO_LIMIT: StoreLimit = { ...MEMORY_LIMIT, bytes: Infinity };

/** Bytes that wait for n8n's store, which writes one piece after the other. */
const WRITE_AHEAD_BYTES = MIB;

/** Each store keeps files up to this size. */
const LEAST_LIMIT_BYTES = Math.min(MEMORY_LIMIT.bytes, POSTGRES_LIMIT.bytes);

/**
 * Returns the name of n8n's store. n8n does not report it to nodes: if the environment does not name it either, the id of a
 * file of one byte shows it. That file is removed from the disk again.
 */
async function findStore(execution: IExecuteFunctions): Promise<string> {
	const mode = process.env.N8N_DEFAULT_BINARY_DATA_MODE;
	if (mode) return mode;
	const { id } = await execution.helpers.prepareBinaryData(Buffer.from('?'), 'probe.txt', 'text/plain');
	if (id?.startsWith('filesystem') === true) {
		const path = execution.helpers.getBinaryPath(id);
		await Promise.all([path, `${path}.metadata`].map(async (file) => await rm(file, { force: true })));
	}
	return id?.split(':')[0] ?? 'default';
}

async function findStoreLimit(execution: IExecuteFunctions): Promise<StoreLimit> {
	const store = await findStore(execution);
	if (store === 'default') return MEMORY_LIMIT;
	return store === 'database' && process.env.DB_TYPE === 'postgresdb' ? POSTGRES_LIMIT : NO_LIMIT;
}

/** Passes bytes on. The store is only looked up if the file is larger than the smallest limit. */
async function* withinLimit(execution: IExecuteFunctions, bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
	let passedBytes = 0;
	let limit: StoreLimit | undefined;
	for await (const chunk of bytes) {
		passedBytes += chunk.byteLength;
		if (passedBytes > LEAST_LIMIT_BYTES) {
			limit ??= await findStoreLimit(execution);
			if (passedBytes > limit.bytes) throw new ItemFault(limit.tooLarge(name));
		}
		yield chunk;
	}
}

/**
 * Checks a file before it is downloaded.
 * @param announcedBytes 0 if the size is not known.
 * @throws ItemFault if the file is too large for n8n's store.
 */
export async function checkFits(execution: IExecuteFunctions, name: string, announcedBytes: number): Promise<void> {
	if (announcedBytes <= LEAST_LIMIT_BYTES) return;
	const limit = await findStoreLimit(execution);
	if (announcedBytes > limit.bytes) throw new ItemFault(limit.tooLarge(name));
}

/**
 * Streams a file into n8n's store. If the stream fails, it rejects and stores nothing.
 * @param file `announcedBytes` is 0 if the size is not known.
 * @param credential whose secrets are masked in the file's name.
 * @throws ItemFault if the file is too large for n8n's store.
 */
export async function storeFile(
	execution: IExecuteFunctions,
	bytes: AsyncIterable<Uint8Array>,
	file: { name: string; contentType: string; announcedBytes: number },
	credential: NamedCredential,
): Promise<IBinaryData> {
	const { name, contentType } = resultMask(credential)({ name: file.name, contentType: file.contentType });
	await checkFits(execution, name, file.announcedBytes);
	const stream = Readable.from(withinLimit(execution, bytes, name), { objectMode: false, highWaterMark: WRITE_AHEAD_BYTES });
	return await execution.helpers.prepareBinaryData(stream, name, contentType);
}
