/**
 * `npm run test:soak -- --minutes N`: the memory and handles of the product do not grow under the trigger, batches, files and
 * faults. The product and the service run in separate processes. Fails if a measure grows by more per hour than allowed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type Trend, trendsOf, type Access, type Measure, type Order, type Sample } from './soak/trend';

const USAGE = 'Usage: npm run test:soak -- [--minutes N]  (10)';
const TELL_EVERY_MS = 30_000;

type Word = { sample: Sample } | { left: Record<Measure, number> };

const start = (script: string, ...args: string[]): ChildProcess =>
	fork(join(__dirname, 'soak', script), args, { execArgv: ['--expose-gc', '--import', 'tsx'] });

const sendOrder = (child: ChildProcess, order: Order): boolean => child.send(order);

const formatNumber = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(1));

function print(trends: Trend[], samples: Sample[], left: Record<Measure, number>): void {
	const { succeeded = 0, failed = 0, news = 0, seconds = 0 } = samples.at(-1) ?? {};
	console.log(
		`${samples.length} rounds in ${Math.round(seconds)} s: ${succeeded} runs of nodes succeeded, ${failed} failed, ${news} events`,
	);
	console.table(
		Object.fromEntries(
			trends.map(({ measure, first, last, perHour, mostPerHour, isFlat }) => [
				measure,
				{
					'after warm-up': formatNumber(first),
					'at the end': formatNumber(last),
					'all closed': formatNumber(left[measure]),
					'an hour': formatNumber(perHour),
					'at most': mostPerHour,
					flat: isFlat ? 'yes' : 'NO',
				},
			]),
		),
	);
}

async function soak(minutes: number): Promise<boolean> {
	const service = start('service.ts');
	const access = await new Promise<Access>((resolve) => service.once('message', (word) => resolve(word as Access)));
	const product = start('product.ts', JSON.stringify(access));
	const samples: Sample[] = [];
	let toldAt = performance.now();
	setTimeout(() => sendOrder(product, 'end'), minutes * 60_000).unref();
	const left = await new Promise<Record<Measure, number>>((resolve, reject) => {
		product.once('exit', (code) => reject(new Error(`The product ended with ${code}`)));
		product.on('message', (word: Word) => {
			if ('left' in word) return resolve(word.left);
			samples.push(word.sample);
			sendOrder(service, 'round is over');
			if (performance.now() - toldAt < TELL_EVERY_MS) return;
			toldAt = performance.now();
			console.log(
				`${Math.round(word.sample.seconds)} s: ${JSON.stringify(word.sample.held, (_, value: unknown) => (typeof value === 'number' ? Math.round(value) : value))}`,
			);
		});
	});
	sendOrder(service, 'end');
	const trends = trendsOf(samples);
	print(trends, samples, left);
	const isClosed = left.sockets === 0 && left.timers === 0;
	if (!isClosed) console.log('Something is still open after all has been closed');
	return isClosed && trends.every(({ isFlat }) => isFlat) && (samples.at(-1)?.succeeded ?? 0) > 0;
}

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
	const minutes = Number(values.minutes);
	if (!(minutes > 0)) {
		console.log(USAGE);
		process.exitCode = 2;
		return;
	}
	const folder = mkdtempSync(join(tmpdir(), 'comfy-soak-'));
	// The product uses n8n's engine.
	process.env.N8N_USER_FOLDER = folder;
	try {
		if (!(await soak(minutes))) process.exitCode = 1;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

void main();
