import { randomFillSync } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { contentHash } from '../../client';
import { fileChunks } from '../../nodes/shared/files/inputFile';
import { contest, type Result } from './contest';
import { startFileService } from './services';
import type { FileOptions } from './works/shared';

const WARM_UP_BYTES = 8 * 1024 * 1024;

export interface FileContest {
	/** Name in the report → work. */
	contestants: Readonly<Record<string, string>>;
	bytes: number;
	rounds: number;
	hashes: boolean;
	isStored?: boolean;
}

interface Scene {
	options: Omit<FileOptions, 'folder'>;
	service: Awaited<ReturnType<typeof startFileService>>;
}

const BLOCK_BYTES = 16 * 1024 * 1024;

/** Writes random bytes that repeat every 16 MiB. @returns their hash. */
async function randomFile(path: string, bytes: number): Promise<string> {
	const block = randomFillSync(Buffer.alloc(Math.min(BLOCK_BYTES, bytes)));
	const file = await open(path, 'w');
	for (let written = 0; written < bytes; written += block.length) await file.write(block, 0, Math.min(block.length, bytes - written));
	await file.close();
	return await contentHash(fileChunks(path));
}

/** A service, and a file of this size. */
async function sceneOf(folder: string, bytes: number, { hashes, isStored = false }: FileContest): Promise<Scene> {
	const path = join(folder, `${bytes}.bin`);
	const hash = await randomFile(path, bytes);
	const service = await startFileService({ path, bytes, hash: hashes ? hash : null, isStored });
	return { options: { origin: service.origin, path, bytes, hashes }, service };
}

/** Moves one file in several ways, in turn, and removes what is left. */
export async function fileContest(folder: string, asked: FileContest): Promise<Result[]> {
	await mkdir(folder, { recursive: true });
	const scenes = [await sceneOf(folder, WARM_UP_BYTES, asked), await sceneOf(folder, asked.bytes, asked)] as const;
	const [small, large] = scenes;
	try {
		const contestants = await Promise.all(
			Object.entries(asked.contestants).map(async ([name, work]) => {
				const own = join(folder, work);
				await mkdir(own, { recursive: true });
				return { name, work, folder: own, options: { ...large.options, folder: own, warmUp: { ...small.options, folder: own } } };
			}),
		);
		return await contest(contestants, { rounds: asked.rounds, counted: large.service.report });
	} finally {
		for (const { service } of scenes) service.stop();
		await rm(folder, { recursive: true, force: true });
	}
}
