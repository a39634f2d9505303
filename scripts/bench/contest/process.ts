/** The process of one contestant: prepares its work, warms up, then runs it whenever it is told to. */
import '../../../test/nodes/support/typescriptFirst';

import { createRequire } from 'node:module';

import { MemoryAboveRest } from '../memory';
import type { Options, Order, Word, Work } from './types';

const SAMPLE_EVERY_MS = 5;

const requireHere = createRequire(__filename);

let work: Work;
let memory: MemoryAboveRest;

const tell = (word: Word): void => void process.send?.(word);

type Begin = (options: Options) => Work | Promise<Work>;

/** Loads only what it needs: what others load would count as its memory. */
function beginningOf(name: string): Begin {
	const [file = '', work = ''] = name.split('.');
	return (requireHere(`../works/${file}`) as Record<string, Begin>)[work] as Begin;
}

async function prepare({ work: name, options }: Extract<Order, { do: 'prepare' }>): Promise<void> {
	const begin = beginningOf(name);
	if (options.warmUp !== undefined) await warmUp(await begin(options.warmUp as Options));
	work = await begin(options);
	memory = new MemoryAboveRest(SAMPLE_EVERY_MS);
	tell({ told: 'ready' });
}

async function warmUp(small: Work): Promise<void> {
	await small.once();
	await small.afterwards?.();
}

async function run(): Promise<void> {
	memory.begin();
	const cpuBefore = process.cpuUsage();
	const startedAt = performance.now();
	const facts = (await work.once()) ?? {};
	const ms = performance.now() - startedAt;
	const { user, system } = process.cpuUsage(cpuBefore);
	memory.end();
	await work.afterwards?.();
	tell({ told: 'measured', measured: { ms: facts.ms ?? ms, cpuMs: (user + system) / 1_000, peakMib: memory.peakMib, facts } });
}

const DO: { [Name in Order['do']]: (order: Extract<Order, { do: Name }>) => Promise<void> } = {
	prepare,
	run,
};

process.on('message', (order: Order) => {
	(DO[order.do] as (order: Order) => Promise<void>)(order).catch((error: unknown) =>
		tell({ told: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
	);
});
process.on('disconnect', () => process.exit());
