/** Many short jobs in one call of Comfy Run Workflow: time against the ideal, requests, and what a full queue costs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { rowOf } from './rows';

const JOB_MS = 500;
const ROWS = [
	['6', 'Concurrency 5', '5', 'any'],
	['6c', 'Concurrency 20, the service refuses above 10', '20', '10'],
	['–', 'Concurrency 20, the service refuses above 3', '20', '3'],
] as const;

export async function benchJobs({ count = 200 }: { count?: number }): Promise<void> {
	console.log(`${count} jobs of ${JOB_MS} ms`);
	const folder = mkdtempSync(join(tmpdir(), 'comfy-bench-'));
	// Of n8n's engine, in the process of each row.
	process.env.N8N_USER_FOLDER = folder;
	const rows = [];
	for (const [row, what, concurrency, limit] of ROWS) {
		rows.push({ row, what, ...(await rowOf(join(__dirname, 'jobsRow.ts'), [concurrency, limit, String(count), String(JOB_MS)])) });
		console.table(rows.slice(-1));
	}
	console.table(rows);
	rmSync(folder, { recursive: true, force: true });
}
