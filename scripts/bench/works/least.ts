/** The least work that any way takes: curl, and hashing alone. */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createBLAKE3 } from 'hash-wasm';

import type { Work } from '../work';
import type { FileOptions } from './shared';

const CHUNK_BYTES = 1024 * 1024;

const run = promisify(execFile);
const curl = async (...args: string[]): Promise<void> => void (await run('curl', ['--silent', '--show-error', '--fail', ...args]));

export const upload = ({ origin, path }: FileOptions): Work => ({
	once: async () => {
		const fields = ['-F', 'content_type=application/octet-stream', '-F', 'file_path=a.bin', '-F', `file=@${path}`];
		await curl('-o', '/dev/null', ...fields, `${origin}/api/v2/assets`);
		return undefined;
	},
});

export function download({ origin, folder }: FileOptions): Work {
	const path = join(folder, 'curl.bin');
	return {
		once: async () => void (await curl('-o', path, `${origin}/api/v2/assets/a/content`)),
		afterwards: async () => await rm(path),
	};
}

/** Reads the file and hashes it with the library that the client uses. */
export const hash = ({ path }: FileOptions): Work => ({
	once: async () => {
		const hasher = (await createBLAKE3()).init();
		const file = await open(path);
		const buffer = Buffer.alloc(CHUNK_BYTES);
		for (;;) {
			const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
			if (bytesRead === 0) break;
			hasher.update(buffer.subarray(0, bytesRead));
		}
		await file.close();
		hasher.digest('hex');
		return undefined;
	},
});
