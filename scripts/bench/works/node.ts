import { readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { NODE_NAME, type NodeRun, runNode } from '../../../test/nodes/support/engine';
import { downloadRun, uploadRun } from '../../../test/nodes/support/files';
import type { Work } from '../contest/types';
import type { FileOptions } from './fileOptions';
import { credentialFor, executionMs, storedFile } from './n8n';

const filesIn = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));

/** @returns what removes the files that have come since. */
function removeNewFiles(folder: string): () => Promise<void> {
	const before = new Set(filesIn(folder));
	return async () => {
		for (const path of filesIn(folder)) if (!before.has(path)) await rm(path);
	};
}

const workOf = (run: NodeRun, folder: string): Work => {
	const removeNew = removeNewFiles(folder);
	return {
		once: async () => ({ ms: executionMs((await runNode(run)).runData, NODE_NAME) }),
		afterwards: removeNew,
	};
};

/** Comfy Upload Asset, of a file in n8n's store. */
export async function uploadByNode({ origin, path, hashes, folder }: FileOptions): Promise<Work> {
	const items = [{ binary: await storedFile(path) }];
	return workOf(uploadRun(credentialFor(origin), items, { options: { skipIfAlreadyStored: hashes } }), folder);
}

/** Comfy Download Outputs, into n8n's store. */
export const downloadByNode = ({ origin, folder }: FileOptions): Work =>
	workOf(downloadRun(credentialFor(origin), ['6f0dd4b2-6d66-4f6e-9d0f-4c1d1c6d6a11']), folder);
