/** The public client, `@comfyorg/sdk`. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { colorGraph } from '../../../test/nodes/support/graphs';
import type { Work } from '../work';
import { batchOf, type BatchOptions, endsOf, type FileOptions, waitsOf, type WaitsOptions } from './shared';

/** It takes its address from the environment. */
async function connect(origin: string) {
	process.env.COMFY_BASE_URL = origin;
	const { Comfy } = await import('@comfyorg/sdk');
	return new Comfy({ apiKey: 'bench' });
}

async function waitAt(origin: string) {
	const client = await connect(origin);
	return async (id: string): Promise<void> => void (await (await client.jobs.get(id)).wait());
}

/** It always hashes. */
export async function upload({ origin, path }: FileOptions): Promise<Work> {
	const client = await connect(origin);
	return { once: async () => void (await client.assets.fromFile(path).commit()) };
}

/** It never compares the hash. */
export async function download({ origin, folder }: FileOptions): Promise<Work> {
	const job = await (await connect(origin)).jobs.get('any');
	const path = join(folder, 'sdk.bin');
	return { once: async () => void (await job.outputs[0]?.toFile(path)), afterwards: async () => await rm(path) };
}

export const ends = async (options: BatchOptions): Promise<Work> => await endsOf(options, waitAt);
export const waits = async (options: WaitsOptions): Promise<Work> => await waitsOf(options, waitAt);

/** A loop as a program has it, several jobs at a time. */
export const batch = async (options: BatchOptions): Promise<Work> =>
	await batchOf(options, async (origin) => {
		const client = await connect(origin);
		return async (items) => {
			let left = items;
			const lane = async (): Promise<void> => {
				while (left-- > 0) {
					const job = await client.run(client.workflows.fromJson(colorGraph(1)));
					await job.outputs[0]?.toBytes();
				}
			};
			await Promise.all(Array.from({ length: options.concurrency }, lane));
		};
	});
