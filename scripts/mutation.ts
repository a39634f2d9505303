/**
 * `npm run mutation`: Stryker breaks each module (scripts/mutation/modules.ts) in small ways and runs its suites. Prints a
 * score for each module, and the mutants that no test detected. Exits with 1 if a score is below the module's goal.
 * `--module concurrency` tests one module; may be repeated. Only what has changed since the last run is tested; `--all` tests
 * everything. `--since COMMIT` tests only the lines that have changed since then; with `--most N` about N of them, in three
 * modules. It exits with 1 if the tests detect less than 80 % and more than 5 mutants remain.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { changedLines, spreadOver } from './mutation/changedLines';
import { type MutatedModule, MODULES, suitesOf } from './mutation/modules';
import { type ModuleScore, scoreOf, type StrykerReport } from './mutation/report';

const root = join(__dirname, '..');
const folder = join(root, '.cache/mutation');
const CHANGED_LINES_GOAL = 80;
/** A few mutants that are hard to detect are no reason to refuse a change. */
const MOST_UNDETECTED = 5;

const { values: chosen } = parseArgs({
	options: {
		module: { type: 'string', multiple: true },
		all: { type: 'boolean' },
		since: { type: 'string' },
		most: { type: 'string' },
		concurrency: { type: 'string' },
	},
});

const say = (text: string): void => console.log(text);

/** Runs Stryker. @returns its report. */
function mutate(name: string, mutated: readonly string[]): StrykerReport {
	const report = join(folder, chosen.since === undefined ? `${name}.json` : `${name}.changed.json`);
	if (chosen.all || chosen.since !== undefined) rmSync(report, { force: true });
	const config = join(folder, `${name}.config.json`);
	const options = {
		testRunner: 'in-process',
		plugins: [join(__dirname, 'mutation/testRunner.mjs')],
		suites: suitesOf(moduleOf(name)),
		coverageAnalysis: 'perTest',
		mutate: mutated,
		incremental: true,
		incrementalFile: report,
		concurrency: Number(chosen.concurrency ?? 2),
		timeoutMS: 15_000,
		// On a busy machine the suites of one module need more than Stryker's five minutes.
		dryRunTimeoutMinutes: 20,
		reporters: ['progress'],
		allowConsoleColors: false,
		tempDirName: join(folder, 'work'),
		ignorePatterns: ['.cache', 'dist', 'docs', 'examples', 'demo-output', '**/node_modules'],
	};
	writeFileSync(config, JSON.stringify(options));
	const { status } = spawnSync('npx', ['stryker', 'run', config], { cwd: root, stdio: 'inherit' });
	if (status !== 0 || !existsSync(report)) throw new Error(`Stryker ended with ${status} on ${name}`);
	return JSON.parse(readFileSync(report, 'utf8')) as StrykerReport;
}

function print(name: string, { score, detected, total, equivalent, survivors }: ModuleScore, goal: number): void {
	const more = equivalent > 0 ? `, ${equivalent} equivalent` : '';
	say(`\n${name}: ${score.toFixed(1)} % (${detected} of ${total} detected${more}; goal ${goal} %)`);
	for (const { place, line, mutatorName, replacement, isUncovered } of survivors) {
		say(
			`  ${place} ${mutatorName}${isUncovered ? ', run by no test' : ''}\n    ${line}\n    → ${replacement.replace(/\s+/g, ' ').slice(0, 160)}`,
		);
	}
}

/** What Stryker is to mutate, by module: all sources of the chosen modules, or some of their changed lines. */
function readTargets(): Array<[name: string, mutated: string[]]> {
	const names = chosen.module ?? Object.keys(MODULES);
	const unknown = names.find((name) => MODULES[name] === undefined);
	if (unknown !== undefined) throw new Error(`There is no module ${unknown}. Modules: ${Object.keys(MODULES).join(', ')}`);
	const { since, most } = chosen;
	if (since === undefined) return names.map((name) => [name, moduleOf(name).sources]);
	const changed = new Map(names.map((name) => [name, changedLines(since, moduleOf(name).sources)]));
	return [...(most === undefined ? changed : spreadOver(changed, Number(most)))].flatMap(([name, ranges]) =>
		ranges.length === 0 ? [] : [[name, ranges.map(({ file, first, last }) => `${file}:${first}-${last}`)]],
	);
}

const moduleOf = (name: string): MutatedModule => MODULES[name] as MutatedModule;

mkdirSync(folder, { recursive: true });
const scores: Array<{ name: string; goal: number; score: ModuleScore }> = [];
for (const [name, mutated] of readTargets()) {
	const goal = chosen.since === undefined ? moduleOf(name).goal : CHANGED_LINES_GOAL;
	const score = scoreOf(mutate(name, mutated));
	print(name, score, goal);
	scores.push({ name, goal, score });
}
say(`\n${scores.length === 0 ? 'Nothing to mutate' : scores.map(({ name, score }) => `${name} ${score.score.toFixed(1)} %`).join(', ')}`);
const below = scores.filter(({ score, goal }) => score.score < goal);
const undetected = below.reduce((sum, { score }) => sum + score.survivors.length, 0);
if (below.length > 0 && (chosen.since === undefined || undetected > MOST_UNDETECTED)) {
	say(`Below the goal: ${below.map(({ name }) => name).join(', ')}`);
	process.exitCode = 1;
}
