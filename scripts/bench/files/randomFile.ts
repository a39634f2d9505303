import { randomFillSync } from 'node:crypto';
import { open } from 'node:fs/promises';

import { contentHash } from '../../../client';
import { fileChunks } from '../../../nodes/shared/files/fileChunks';

const BLOCK_BYTES = 16 * 1024 * 1024;

/** A file of random bytes that come again every 16 MiB. @returns its hash. */
export async function randomFile(path: string, bytes: number): Promise<string> {
	const block = randomFillSync(Buffer.alloc(Math.min(BLOCK_BYTES, bytes)));
	const file = await open(path, 'w');
	for (let written = 0; written < bytes; written += block.length) await file.write(block, 0, Math.min(block.length, bytes - written));
	await file.close();
	return await contentHash(fileChunks(path));
}
