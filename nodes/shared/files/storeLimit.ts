import { rm } from 'node:fs/promises';

import type { IExecuteFunctions } from 'n8n-workflow';

import { ItemFault } from '../itemFault';

/** What n8n can hold of one file, by how it keeps files. */
export interface StoreLimit {
	bytes: number;
	refusal(name: string): ItemFault;
}

const MIB = 1024 * 1024;

/** Above it n8n itself fails: its base64 text would pass V8's longest string. */
export const MEMORY_LIMIT: StoreLimit = {
	bytes: 288 * MIB,
	refusal: (name) =>
		new ItemFault(
			`"${name}" is too large to be kept in memory by n8n`,
			'Set N8N_DEFAULT_BINARY_DATA_MODE=filesystem (or s3) where n8n is started, so that files are streamed to a store. Nothing was saved.',
		),
};

/** Above it n8n saves a file, and fails to read it: the driver takes it as hex text, which would pass V8's longest string. */
const POSTGRES_LIMIT: StoreLimit = {
	bytes: 255 * MIB,
	refusal: (name) =>
		new ItemFault(
			`"${name}" is too large to be kept in PostgreSQL by n8n`,
			'n8n could save it there, but not open it again: 255 MiB are the most. Set N8N_DEFAULT_BINARY_DATA_MODE=filesystem, and N8N_STORAGE_PATH to a path that all its processes share, where n8n is started. Nothing was saved.',
		),
};

const NO_LIMIT: StoreLimit = { ...MEMORY_LIMIT, bytes: Infinity };

/** Smaller files are kept in every way. */
export const LEAST_LIMIT_BYTES = Math.min(MEMORY_LIMIT.bytes, POSTGRES_LIMIT.bytes);

/**
 * n8n tells no node how it keeps files: where its environment does not say, a file of one byte shows it, and is removed
 * again from the disk.
 */
async function storeOf(execution: IExecuteFunctions): Promise<string> {
	const mode = process.env.N8N_DEFAULT_BINARY_DATA_MODE;
	if (mode) return mode;
	const { id } = await execution.helpers.prepareBinaryData(Buffer.from('?'), 'probe.txt', 'text/plain');
	if (id?.startsWith('filesystem') === true) {
		const path = execution.helpers.getBinaryPath(id);
		await Promise.all([path, `${path}.metadata`].map(async (file) => await rm(file, { force: true })));
	}
	return id?.split(':')[0] ?? 'default';
}

export async function storeLimit(execution: IExecuteFunctions): Promise<StoreLimit> {
	const store = await storeOf(execution);
	if (store === 'default') return MEMORY_LIMIT;
	return store === 'database' && process.env.DB_TYPE === 'postgresdb' ? POSTGRES_LIMIT : NO_LIMIT;
}
