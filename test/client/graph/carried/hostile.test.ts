import { fork } from 'node:child_process';
import { join } from 'node:path';

import { HOSTILE_FILES } from './hostileFiles';

/** Without their limits the first of them takes years, others minutes, and one fills the memory. */
const PATIENCE_MS = 60_000;

interface Report {
	begins?: string;
	ended?: string;
	hasGraph?: boolean;
}

it('files that are made to keep the reader busy, or to fill its memory, are read in time and in little memory', async () => {
	const child = fork(join(__dirname, 'hostileChild.ts'), { execArgv: ['--max-old-space-size=512', '--import', 'tsx'], stdio: 'ignore' });
	const reports: Report[] = [];
	let watch: NodeJS.Timeout | undefined;
	const look = (): void => {
		clearTimeout(watch);
		watch = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
	};
	look();
	child.on('message', (report: Report) => {
		reports.push(report);
		look();
	});
	await new Promise((resolve) => child.once('exit', resolve));
	clearTimeout(watch);
	expect(reports.filter(({ ended }) => ended !== undefined)).toEqual(
		Object.keys(HOSTILE_FILES).map((name) => ({ ended: name, hasGraph: false })),
	);
}, 600_000);
