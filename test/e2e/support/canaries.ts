import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sharedHostState } from './hostState';
import { userFolderIn } from './host';

/** n8n's own files: log, database, and what it keeps of executions. */
async function filesOfHost(): Promise<Array<{ path: string; content: Buffer }>> {
	const paths = (await readdir(userFolderIn(sharedHostState().folder), { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.includes('node_modules'));
	return await Promise.all(paths.map(async (path) => ({ path, content: await readFile(path) })));
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
