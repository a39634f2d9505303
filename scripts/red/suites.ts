import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';

export interface TestOutcome {
	fullName: string;
	failed: boolean;
}

interface JestReport {
	testResults: Array<{ name: string; message: string; assertionResults: Array<{ fullName: string; status: string }> }>;
}

/** What a broken rule keeps from coming is not waited for as long as elsewhere. */
const JEST = ['--maxWorkers=2', '--json', '--forceExit', '--testTimeout=30000'];

/** The suites of `npm test` in that tree whose source matches. */
export const suitesWith = (folder: string, pattern: RegExp): string[] =>
	execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'test/**/*.test.ts'], { cwd: folder, encoding: 'utf8' })
		.split('\n')
		.filter((file) => file !== '' && existsSync(join(folder, file)) && pattern.test(readFileSync(join(folder, file), 'utf8')));

/** Without Jest's own words: thousands of lines about what is meant to fail. */
async function runJest(folder: string, args: string[]): Promise<JestReport> {
	const scratch = mkdtempSync(join(tmpdir(), 'comfy-red-report-'));
	const report = join(scratch, 'report.json');
	try {
		const child = spawn(
			process.execPath,
			[join(projectRoot, 'node_modules/jest/bin/jest.js'), ...JEST, `--outputFile=${report}`, ...args],
			{ cwd: folder, stdio: 'ignore', env: { ...process.env, PATIENCE_MS: '5000' } },
		);
		await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
		return JSON.parse(readFileSync(report, 'utf8')) as JestReport;
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
}

/**
 * Runs the named tests of these suites in another tree.
 * @returns one outcome for each test that ran; of a suite that cannot even be loaded there, one for the suite.
 */
export async function outcomesIn(
	folder: string,
	suites: string[],
	namePattern: string,
): Promise<{ tests: TestOutcome[]; unloadable: string[] }> {
	if (suites.length === 0) return { tests: [], unloadable: [] };
	const { testResults } = await runJest(folder, ['--testNamePattern', namePattern, '--runTestsByPath', ...suites]);
	return {
		tests: testResults.flatMap(({ assertionResults }) =>
			assertionResults
				.filter(({ status }) => ['passed', 'failed'].includes(status))
				.map(({ fullName, status }) => ({ fullName, failed: status === 'failed' })),
		),
		unloadable: testResults
			.filter(({ assertionResults, message }) => assertionResults.length === 0 && message !== '')
			.map(({ name }) => name.slice(folder.length + 1)),
	};
}
