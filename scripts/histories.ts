/** `npm run test:histories`: random histories of executions, then kills of a real process. Each item is billed once, and its result arrives. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { runKills } from '../test/histories/kills/kills';
import { addCounts, type Counts, noCounts } from '../test/histories/runHistories';
import type { Part, PartDone } from './histories/worker';
import { askWorkers } from './workers';

const NAMES = ['v2', 'deployment', 'v1', 'engine', 'older engine', 'pool', 'router direct', 'router queued'];

/** In each process: much of a history is waiting. */
const AT_ONCE = 8;
const PER_PART = 50;

/** Histories of a pool take longer, so fewer of them are played, in smaller parts. */
const SHARES: Record<string, { weight: number; perPart: number }> = { pool: { weight: 0.15, perPart: 15 } };
const shareOf = (name: string) => SHARES[name] ?? { weight: 1, perPart: PER_PART };

const USAGE = `Usage: npm run test:histories -- [--runs N] [--kills N] [--seed N|random] [--only INTERFACE]… [--report FILE]
  --runs N          random histories (default: 5000, or 0 with --kills)
  --kills N         kills of a real process (default: 20, or 0 with --runs, --only or --path)
  --seed N          seed of the first history and the first kill (default: the same in every run); random chooses one
  --only INTERFACE  histories of this interface: ${NAMES.join(', ')}. It can be repeated
  --path PATH       repeats the one history at this path. A failed history prints it
  --report FILE     writes how many histories and kills passed and failed, in the format of Jest
  --help            prints this`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string' },
		kills: { type: 'string' },
		// The same in every run of CI, so that a random failure does not block an unrelated change.
		seed: { type: 'string', default: '20260115' },
		only: { type: 'string', multiple: true },
		path: { type: 'string' },
		report: { type: 'string' },
		help: { type: 'boolean' },
	},
});
const { only: names = NAMES, path, report } = values;
const isPart = [values.runs, values.kills, values.only, path].some((one) => one !== undefined);
const runs = Number(values.runs ?? (values.kills === undefined ? 5_000 : 0));
const killCount = Number(values.kills ?? (isPart ? 0 : 20));
const seed = values.seed === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);

function createParts(): Part[] {
	if (path !== undefined) return names.map((name) => ({ interface: name, seed, histories: 1, path }));
	const weights = names.reduce((sum, name) => sum + shareOf(name).weight, 0);
	const byName = names.map((name) => {
		const { weight, perPart } = shareOf(name);
		const each = Math.ceil((runs * weight) / weights);
		return Array.from({ length: Math.ceil(each / perPart) }, (_, nth) => ({
			interface: name,
			seed: seed + nth,
			histories: Math.min(perPart, each - nth * perPart),
		}));
	});
	// Parts of all interfaces alternate, so that those that mostly wait run together with the others.
	const most = Math.max(...byName.map(({ length }) => length));
	return Array.from({ length: most }, (_, nth) => byName.flatMap((parts) => parts[nth] ?? [])).flat();
}

async function runParts(): Promise<PartDone[]> {
	const done: PartDone[] = [];
	await askWorkers<Part, PartDone>(join(__dirname, 'histories/worker.ts'), createParts(), AT_ONCE, (one) => {
		const { part, failed } = one;
		done.push(one);
		if (failed === undefined) return;
		console.log(`\n${part.interface}: ${JSON.stringify(failed.history, undefined, 1)}\n${failed.trouble}`);
		console.log(`Again: npm run test:histories -- --only '${part.interface}' --seed ${failed.seed} --path ${failed.path}\n`);
	});
	return done;
}

const list = (counts: Record<string, number>): string =>
	Object.entries(counts)
		.map(([name, times]) => `\n  ${times} × ${name}`)
		.join('');

function describeCounts(
	name: string,
	{ histories: played, actions, runs: ran, faultsMet, delivered, unconfirmed, conditions }: Counts,
): string {
	const met = Object.keys(conditions).length === 0 ? '' : `\n  under a condition of docs/promises.md:${list(conditions)}`;
	return `${name}: ${played} histories of ${actions} actions, ${ran} runs, ${faultsMet} faults met; delivered ${delivered}, unconfirmed ${played - delivered}${list(unconfirmed)}${met}`;
}

interface Result {
	played: number;
	failed: number;
}

async function runRandomHistories(): Promise<Result> {
	const done = await runParts();
	for (const name of names) {
		const counts = done.filter(({ part }) => part.interface === name).map((one) => one.counts);
		console.log(describeCounts(name, counts.reduce(addCounts, noCounts())));
	}
	const failed = done.filter((one) => one.failed !== undefined).length;
	return { played: done.reduce((sum, { counts }) => sum + counts.histories, 0), failed };
}

async function runTimed(what: string, play: () => Promise<Result>): Promise<Result> {
	const begunAt = performance.now();
	const result = await play();
	console.log(`${result.played} ${what} in ${Math.round((performance.now() - begunAt) / 1_000)} s; ${result.failed} failed`);
	return result;
}

void (async () => {
	if (values.help) return console.log(USAGE);
	console.log(`Seed ${seed}, ${runs} histories, ${killCount} kills`);
	const results: Result[] = [];
	if (runs > 0) results.push(await runTimed('histories', runRandomHistories));
	const kills = async (): Promise<Result> => ({ played: killCount, failed: await runKills(killCount, seed, console.log) });
	if (killCount > 0) results.push(await runTimed('kills of a real process', kills));
	const failed = results.reduce((sum, one) => sum + one.failed, 0);
	const played = results.reduce((sum, one) => sum + one.played, 0);
	if (report !== undefined) writeFileSync(report, JSON.stringify({ numPassedTests: played - failed, numFailedTests: failed }));
	process.exitCode = failed === 0 ? 0 : 1;
})();
