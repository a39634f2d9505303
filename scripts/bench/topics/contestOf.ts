import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { contest, type ContestSettings, type Result } from '../contest/contest';
import type { Options } from '../contest/types';

/** Name in the report → work and its options. */
export type Contestants = Readonly<Record<string, readonly [work: string, options: object]>>;

/** A contest of work that needs no files, with a folder for n8n's engine that is gone afterwards. */
export async function contestOf(contestants: Contestants, settings: ContestSettings): Promise<Result[]> {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-bench-'));
	try {
		const all = Object.entries(contestants).map(([name, [work, options]]) => ({ name, work, options: { ...options } as Options, folder }));
		return await contest(all, settings);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
