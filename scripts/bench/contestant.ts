/** The process of one contestant: prepares its work, warms up, then runs it on each order. */
import '../../test/nodes/support/typescriptFirst';

import { createRequire } from 'node:module';

import { answerRequests } from '../workers';
import type { Measured, Options, Order, Work } from './work';

const SAMPLE_EVERY_MS = 5;
const MIB = 1024 * 1024;

const requireHere = createRequire(__filename);
const residentMib = (): number => process.memoryUsage.rss() / MIB;

let work: Work;
/** Resident memory after the warm-up. */
let restMib: number;
let peakMib = 0;

function sample(): void {
	peakMib = Math.max(peakMib, residentMib() - restMib);
}

/** Loads one file only: what the others load would count as memory of this contestant. */
function findWork(name: string): (options: Options) => Work | Promise<Work> {
	const [file = '', work = ''] = name.split('.');
	return (requireHere(`./works/${file}`) as Record<string, (options: Options) => Work>)[work] as (options: Options) => Work;
}

async function prepare({ work: name, options }: Extract<Order, { do: 'prepare' }>): Promise<void> {
	const start = findWork(name);
	if (options.warmUp !== undefined) {
		const small = await start(options.warmUp as Options);
		await small.once();
		await small.afterwards?.();
	}
	work = await start(options);
	(globalThis as { gc?: () => void }).gc?.();
	restMib = residentMib();
}

async function run(): Promise<Measured> {
	const timer = setInterval(sample, SAMPLE_EVERY_MS);
	const startedAt = performance.now();
	const facts = (await work.once()) ?? {};
	const ms = performance.now() - startedAt;
	clearInterval(timer);
	sample();
	await work.afterwards?.();
	return { ms: facts.ms ?? ms, peakMib, facts };
}

answerRequests(async (order: Order) => (order.do === 'run' ? await run() : await prepare(order)));
