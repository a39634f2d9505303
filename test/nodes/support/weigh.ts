import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { LargeFilesReport, LargeFilesTask } from './largeFilesChild';

export const MIB = 1024 * 1024;
export const MOST_GROWTH_MIB = 64;

export type Weighed = LargeFilesReport & { growthMib: number };

/** Runs the node in a process that holds n8n's engine and nothing of the sandbox. */
export async function weigh(task: LargeFilesTask): Promise<Weighed> {
	const folder = mkdtempSync(join(tmpdir(), 'comfy-large-'));
	const env = { ...process.env, N8N_USER_FOLDER: folder, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
	const child = join(__dirname, 'largeFilesChild.ts');
	try {
		const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--import', 'tsx', child, JSON.stringify(task)], {
			env,
		});
		const report = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as LargeFilesReport;
		return { ...report, growthMib: (report.peakBytes - report.baselineBytes) / MIB };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
