import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Facts, Work } from '../contest/types';

export interface LoadOptions {
	/** Modules, each with its whole path. */
	files: string[];
	/** What n8n has loaded before. */
	already: string[];
}

const SCRIPT = `
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
	once: async () => {
		const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, JSON.stringify([already, files])]);
		return JSON.parse(stdout) as Facts;
	},
});
