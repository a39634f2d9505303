import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedHostState } from './hostState';
import { userFolderIn } from './host';

/** Undefined where n8n has removed it meanwhile. */
async function contentOf(path: string): Promise<Buffer | undefined> {
	return await readFile(path).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'ENOENT') return undefined;
		throw error;
	});
}

/** n8n's own files: log, database, and what it keeps of executions. */
async function filesOfHost(): Promise<Array<{ path: string; content: Buffer }>> {
	const paths = (await readdir(userFolderIn(sharedHostState().folder), { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.includes('node_modules'));
	const files = await Promise.all(paths.map(async (path) => ({ path, content: await contentOf(path) })));
	return files.flatMap(({ path, content }) => (content === undefined ? [] : [{ path, content }]));
}

/** @param told what n8n has told its users: items, errors and messages of executions, and answers of its interface. */
export async function expectNowhere(canaries: string[], told: string[]): Promise<void> {
	const files = await filesOfHost();
	expect(files.map(({ path }) => path)).toEqual(
		expect.arrayContaining([expect.stringMatching(/n8n\.log$/), expect.stringMatching(/database\.sqlite$/)]),
	);
	for (const canary of canaries) {
		expect(told.filter((text) => text.includes(canary))).toEqual([]);
		expect(files.filter(({ content }) => content.includes(canary)).map(({ path }) => path)).toEqual([]);
	}
}
