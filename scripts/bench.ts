/** `npm run bench -- <what>`: counted requests, streams, memory and time against a service of its own; no test. */
import { parseArgs } from 'node:util';

import { benchJobs } from './bench/jobs';
import { benchWaits } from './bench/waits';

const BENCHES: Record<string, (settings: { count?: number; seconds?: number }) => Promise<void>> = { jobs: benchJobs, waits: benchWaits };

const USAGE = `Usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--count N] [--seconds N]
  --count N    how many (200 jobs, 1000 waits)
  --seconds N  how long each wait lasts (60)`;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({ allowPositionals: true, options: { count: { type: 'string' }, seconds: { type: 'string' } } });
	const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
	const bench = BENCHES[positionals[0] ?? ''];
	if (bench === undefined) {
		console.log(USAGE);
		process.exitCode = 2;
		return;
	}
	await bench({ count: numberOf(values.count), seconds: numberOf(values.seconds) });
}

void main();
