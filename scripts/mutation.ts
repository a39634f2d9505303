/**
 * `npm run mutation`: Stryker breaks each module (scripts/mutation/modules.ts) in small ways and runs its suites. It prints the
 * score of each module, and the mutants that no test detected. Exits with 1 if a score is below the module's goal.
 * `--module concurrency` tests one module; may be repeated. Only what has changed since the last run is tested; `--all` tests
 * everything. `--since COMMIT` tests only the lines that have changed since then, of which the tests must detect 80 %.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { type MutatedModule, MODULES } from './mutation/modules';

const root = join(__dirname, '..');
const folder = join(root, '.cache/mutation');
const CHANGED_LINES_GOAL = 80;
const HUNK = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/;

const { values: chosen } = parseArgs({
	options: {
		module: { type: 'string', multiple: true },
		all: { type: 'boolean' },
		since: { type: 'string' },
		concurrency: { type: 'string', default: '2' },
	},
});

/** Returns the lines that were added or changed since the commit, as Stryker selects them: `file:first-last`. */
function changedLines(since: string, globs: readonly string[]): string[] {
	const paths = globs.map((glob) => `:(glob)${glob}`);
	const diff = execFileSync('git', ['diff', '--unified=0', '--diff-filter=AMR', since, '--', ...paths], { encoding: 'utf8' });
	let file = '';
	return diff.split('\n').flatMap((text) => {
		if (text.startsWith('+++ b/')) file = text.slice('+++ b/'.length);
		const [, first, count = '1'] = HUNK.exec(text) ?? [];
		return first === undefined || count === '0' ? [] : [`${file}:${first}-${Number(first) + Number(count) - 1}`];
	});
}

/** Runs Stryker. @returns whether the score reaches the goal. */
function mutate(name: string, { suites, goal, sources }: MutatedModule, since: string | undefined): boolean {
	const mutated = since === undefined ? sources : changedLines(since, sources);
	if (mutated.length === 0) return true;
	console.log(`\n${name}`);
	const report = join(folder, since === undefined ? `${name}.json` : `${name}.changed.json`);
	if (chosen.all || since !== undefined) rmSync(report, { force: true });
	const config = join(folder, `${name}.config.json`);
	const lowest = since === undefined ? goal : CHANGED_LINES_GOAL;
	const options = {
		testRunner: 'jest',
		jest: {
			// A mutant that never answers would otherwise take the long limit of each test.
			config: { testMatch: suites.map((suite) => suite.replace(/^!?/, '$&<rootDir>/test/') + '.test.ts'), testTimeout: 10_000 },
			enableFindRelatedTests: false,
		},
		coverageAnalysis: 'perTest',
		mutate: mutated,
		incremental: true,
		incrementalFile: report,
		concurrency: Number(chosen.concurrency),
		timeoutMS: 5_000,
		// On a busy machine the suites of one module need more than Stryker's five minutes.
		dryRunTimeoutMinutes: 20,
		thresholds: { high: 100, low: lowest, break: lowest },
		reporters: ['progress', 'clear-text'],
		clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
		allowConsoleColors: false,
		tempDirName: join(folder, 'work'),
		ignorePatterns: ['.cache', 'dist', 'docs', 'examples', 'demo-output', '**/node_modules'],
	};
	writeFileSync(config, JSON.stringify(options));
	return spawnSync('npx', ['stryker', 'run', config], { cwd: root, stdio: 'inherit' }).status === 0;
}

mkdirSync(folder, { recursive: true });
const names = chosen.module ?? Object.keys(MODULES);
const failed = names.filter((name) => {
	const chosenModule = MODULES[name];
	if (chosenModule === undefined) throw new Error(`There is no module ${name}. Modules: ${Object.keys(MODULES).join(', ')}`);
	return !mutate(name, chosenModule, chosen.since);
});
if (failed.length > 0) {
	console.log(`\nBelow the goal, or not tested: ${failed.join(', ')}`);
	process.exitCode = 1;
}
