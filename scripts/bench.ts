/** `npm run bench -- <what>`: counted requests, streams, memory and time against a service of its own; no test. */
import { parseArgs } from 'node:util';

import { benchWaits } from './bench/waits';

const BENCHES: Record<string, (settings: { count: number; seconds: number }) => Promise<void>> = { waits: benchWaits };

const USAGE = `Usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--count N] [--seconds N]
  --count N    how many (1000)
  --seconds N  how long each lasts (60)`;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({ allowPositionals: true, options: { count: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '60' } } });
	const bench = BENCHES[positionals[0] ?? ''];
	if (bench === undefined) {
		console.log(USAGE);
		process.exitCode = 2;
		return;
	}
	await bench({ count: Number(values.count), seconds: Number(values.seconds) });
}

void main();
