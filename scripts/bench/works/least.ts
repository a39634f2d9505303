/** The least work that any way takes: curl, hashing alone, a socket alone, loading alone. */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createBLAKE3 } from 'hash-wasm';
import { WebSocket } from 'ws';

import type { Facts, Work } from '../contest';
import { type FrameSettings, startFrames } from '../services';
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

/** The library for sockets that the client uses, and `JSON.parse` of each frame. */
export async function frames(settings: FrameSettings): Promise<Work> {
	const url = `${(await startFrames(settings)).replace('http', 'ws')}/ws`;
	return {
		once: async () =>
			await new Promise((resolve, reject) => {
				let [startedAt, reported] = [NaN, 0];
				const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true })
					.on('open', () => (startedAt = performance.now()))
					.on('error', reject)
					.on('message', (data: Buffer) => {
						const { type } = JSON.parse(data.toString('utf8')) as { type: string };
						if (type === 'progress_state') reported += 1;
						if (type !== 'execution_success') return;
						resolve({ ms: performance.now() - startedAt, reported });
						socket.close();
					});
			}),
	};
}

interface LoadOptions {
	/** Modules, each with its whole path. */
	files: string[];
	/** What n8n has loaded before. */
	already: string[];
}

const LOAD = `
const [already, files] = JSON.parse(process.argv[1]);
for (const file of already) require(file);
const [modules, rss] = [Object.keys(require.cache).length, process.memoryUsage.rss()];
const startedAt = performance.now();
for (const file of files) require(file);
const ms = performance.now() - startedAt;
console.log(JSON.stringify({ ms, modules: Object.keys(require.cache).length - modules, mib: (process.memoryUsage.rss() - rss) / 1048576 }));
`;

/** How long plain Node takes to load what n8n loads of a package. */
export const load = ({ files, already }: LoadOptions): Work => ({
	once: async () => JSON.parse((await run(process.execPath, ['-e', LOAD, JSON.stringify([already, files])])).stdout) as Facts,
});
