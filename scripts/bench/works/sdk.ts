import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Work } from '../contest/types';
import type { FileOptions } from './fileOptions';

/** The public client goes where the environment says. */
export async function sdkFor(origin: string) {
	process.env.COMFY_BASE_URL = origin;
	const { Comfy } = await import('@comfyorg/sdk');
	return new Comfy({ apiKey: 'bench' });
}

/** It always hashes. */
export async function uploadBySdk({ origin, path }: FileOptions): Promise<Work> {
	const client = await sdkFor(origin);
	return {
		once: async () => {
			await client.assets.fromFile(path).commit();
			return undefined;
		},
	};
}

/** It never checks what came. */
export async function downloadBySdk({ origin, folder }: FileOptions): Promise<Work> {
	const job = await (await sdkFor(origin)).jobs.get('any');
	const path = join(folder, 'sdk.bin');
	return {
		once: async () => {
			await job.outputs[0]?.toFile(path);
			return undefined;
		},
		afterwards: async () => await rm(path),
	};
}
