/**
 * `npm run mutation`: Stryker breaks each module (scripts/mutation/modules.ts) in small ways and runs its suites. Prints a
 * score for each module, and the mutants that no test detected. Exits with 1 if a score is below the module's goal.
 * `--module pace` tests one module; may be repeated. Only what has changed since the last run is tested; `--all` tests
 * everything. `--since COMMIT` tests only the lines that have changed since then, and has no goals but that 80 % is detected.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { changedLines } from './mutation/changedLines';
import { type MutatedModule, MODULES } from './mutation/modules';
import { type ModuleScore, scoreOf, type StrykerReport } from './mutation/report';

const root = join(__dirname, '..');
const folder = join(root, '.cache/mutation');
const CHANGED_LINES_GOAL = 80;

const { values: chosen } = parseArgs({
	options: {
		module: { type: 'string', multiple: true },
		all: { type: 'boolean' },
		since: { type: 'string' },
		concurrency: { type: 'string' },
	},
});

const say = (text: string): void => console.log(text);

/** Runs Stryker. @returns its report, or undefined if there is nothing to mutate. */
function mutate(name: string, { sources, suites }: MutatedModule): StrykerReport | undefined {
	const mutated = chosen.since === undefined ? sources : changedLines(chosen.since, sources);
	if (mutated.length === 0) return undefined;
	const report = join(folder, chosen.since === undefined ? `${name}.json` : `${name}.changed.json`);
	if (chosen.all || chosen.since !== undefined) rmSync(report, { force: true });
	const config = join(folder, `${name}.config.json`);
	const options = {
		testRunner: 'jest',
		plugins: ['@stryker-mutator/jest-runner'],
		coverageAnalysis: 'perTest',
		mutate: mutated,
		incremental: true,
		incrementalFile: report,
		concurrency: Number(chosen.concurrency ?? 2),
		timeoutMS: 15_000,
		reporters: ['progress'],
		allowConsoleColors: false,
		tempDirName: join(folder, 'work'),
		ignorePatterns: ['.cache', 'dist', 'docs', 'examples', 'demo-output', '**/node_modules'],
		jest: {
			configFile: 'jest.config.js',
			enableFindRelatedTests: false,
			config: {
				testMatch: suites.map((suite) => `**/test/${suite}.test.ts`),
				testEnvironment: './test/jest/mutationEnvironment.js',
				runner: './test/jest/mutationRunner.js',
				testTimeout: 10_000,
			},
		},
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

mkdirSync(folder, { recursive: true });
const names = chosen.module ?? Object.keys(MODULES);
const below: string[] = [];
const scores: string[] = [];
for (const name of names) {
	const module = MODULES[name];
	if (module === undefined) throw new Error(`There is no module ${name}. Modules: ${Object.keys(MODULES).join(', ')}`);
	const report = mutate(name, module);
	if (report === undefined) continue;
	const goal = chosen.since === undefined ? module.goal : CHANGED_LINES_GOAL;
	const score = scoreOf(report);
	print(name, score, goal);
	scores.push(`${name} ${score.score.toFixed(1)} %`);
	if (score.score < goal) below.push(name);
}
say(`\n${scores.length === 0 ? 'Nothing to mutate' : scores.join(', ')}`);
if (below.length > 0) {
	say(`Below the goal: ${below.join(', ')}`);
	process.exitCode = 1;
}
