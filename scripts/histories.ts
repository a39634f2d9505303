/**
 * Random histories of executions: whatever happens, each item is billed once, and its result arrives.
 * `npm run test:histories -- --runs 5000 --seed random --only engine --report report.json`; one that fails is printed with
 * the command that plays it again. Then twenty kills of a real process; `-- --kills 20` plays those alone, from `--seed` on.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { added, type Counts, noCounts } from '../test/histories/counts';
import { killWords, runKills } from '../test/histories/kills/runKills';
import { readOptions } from './histories/options';
import type { Part, PartDone } from './histories/part';

/** Of the interfaces in test/histories/interfaces; which process plays them knows what they are. */
const NAMES = ['v2', 'deployment', 'v1', 'engine', 'older engine', 'router direct', 'router queued'] as const;

const PROCESSES = 2;
/** In each process: much of a history is waiting. */
const AT_ONCE = 8;
const PER_PART = 50;

const options = readOptions(process.argv.slice(2));
const names = options.only.length === 0 ? NAMES : options.only;

function parts(): Part[] {
	const { seed, runs, path } = options;
	if (path !== undefined) return names.map((name) => ({ interface: name, seed, histories: 1, path }));
	const each = Math.ceil(runs / names.length);
	const count = Math.ceil(each / PER_PART);
	return Array.from({ length: count }, (_, nth) => nth).flatMap((nth) =>
		names.map((name) => ({ interface: name, seed: seed + nth, histories: Math.min(PER_PART, each - nth * PER_PART) })),
	);
}

function told({ part, failed }: PartDone): void {
	if (failed === undefined) return;
	console.log(`\n${part.interface}: ${failed.words}\n${failed.trouble}`);
	console.log(`Again: npm run test:histories -- --only '${part.interface}' --seed ${failed.seed} --path ${failed.path}\n`);
}

async function playAll(): Promise<PartDone[]> {
	const left = parts();
	const done: PartDone[] = [];
	const workers = Array.from({ length: PROCESSES }, () => fork(join(__dirname, 'histories/worker.ts'), { execArgv: ['--import', 'tsx'] }));
	await Promise.all(
		workers.map(
			async (worker) =>
				await new Promise<void>((resolve, reject) => {
					let playing = 0;
					const next = (to: ChildProcess): void => {
						const part = left.shift();
						if (part !== undefined) {
							playing += 1;
							to.send(part);
						} else if (playing === 0) resolve();
					};
					worker.on('message', (one: PartDone) => {
						playing -= 1;
						done.push(one);
						told(one);
						next(worker);
					});
					worker.once('exit', (code) => reject(new Error(`A process of histories has ended: ${code}`)));
					for (let lane = 0; lane < AT_ONCE; lane++) next(worker);
				}),
		),
	);
	for (const worker of workers) worker.removeAllListeners('exit').disconnect();
	return done;
}

function line(name: string, counts: Counts): string {
	const { histories, actions, runs, faultsMet, delivered, exceptions } = counts;
	const others = Object.entries(exceptions).map(([reason, times]) => `; ${times} × ${reason}`);
	return `${name}: ${histories} histories of ${actions} actions, ${runs} runs, ${faultsMet} faults met; delivered ${delivered}${others.join('')}`;
}

async function histories(): Promise<Result> {
	const done = await playAll();
	for (const name of names) {
		const counts = done.filter(({ part }) => part.interface === name).map((one) => one.counts);
		console.log(line(name, counts.reduce(added, noCounts())));
	}
	const failed = done.filter((one) => one.failed !== undefined).length;
	return { played: done.reduce((sum, { counts }) => sum + counts.histories, 0), failed };
}

async function kills(): Promise<Result> {
	const outcomes = await runKills(options.kills, options.seed, (outcome) => console.log(killWords(outcome)));
	return { played: outcomes.length, failed: outcomes.filter(({ trouble }) => trouble !== '').length };
}

interface Result {
	played: number;
	failed: number;
}

async function timed(what: string, play: () => Promise<Result>): Promise<Result> {
	const begunAt = performance.now();
	const result = await play();
	console.log(`${result.played} ${what} in ${Math.round((performance.now() - begunAt) / 1_000)} s; ${result.failed} failed`);
	return result;
}

void (async () => {
	const { runs, seed, report } = options;
	console.log(`Seed ${seed}, ${runs} histories, ${options.kills} kills`);
	const results: Result[] = [];
	if (runs > 0) results.push(await timed('histories', histories));
	if (options.kills > 0) results.push(await timed('kills of a real process', kills));
	const failed = results.reduce((sum, one) => sum + one.failed, 0);
	const played = results.reduce((sum, one) => sum + one.played, 0);
	if (report !== undefined) writeFileSync(report, JSON.stringify({ numPassedTests: played - failed, numFailedTests: failed }));
	process.exitCode = failed === 0 ? 0 : 1;
})();
