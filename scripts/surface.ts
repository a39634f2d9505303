/**
 * `npm run surface`: adds to `test/package/surface.json` what is new in names, values and defaults that workflows rely on.
 * Refuses where something has gone or changed.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';
import { n8n } from '../package.json';
import { projectRoot } from './n8nHost/environment';
import { findBreakingChanges, readFrozenSurface, SURFACE_FILE, surfaceOf } from './surface/surface';

async function loadBuilt<T>(files: readonly string[]): Promise<T[]> {
	const modules = await Promise.all(files.map(async (file) => (await import(join(projectRoot, file))) as Record<string, unknown>));
	return modules
		.flatMap((module) => Object.values(module).filter((one): one is new () => T => typeof one === 'function'))
		.map((Class) => new Class());
}

async function main(): Promise<void> {
	const nodes = (await loadBuilt<INodeType>(n8n.nodes)).map(({ description }) => description);
	const surface = surfaceOf(nodes, await loadBuilt<ICredentialType>(n8n.credentials));
	const broken = existsSync(SURFACE_FILE) ? findBreakingChanges(readFrozenSurface(), surface) : [];
	if (broken.length > 0) {
		console.error(`Nothing was written: additions only. What workflows rely on has gone or changed:\n  ${broken.join('\n  ')}`);
		process.exitCode = 1;
		return;
	}
	const style = await resolveConfig(SURFACE_FILE);
	writeFileSync(SURFACE_FILE, await format(JSON.stringify(surface), { ...style, filepath: SURFACE_FILE }));
}

void main();
