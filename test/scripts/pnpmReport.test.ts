import { followPnpm } from '../../scripts/n8nHost/pnpmReport';

const progress = { show: jest.fn(), end: jest.fn() };

/** As pnpm 10 tells of `sqlite3` on a machine without Python, shortened. */
const SCRIPT = { name: 'pnpm:lifecycle', level: 'debug', depPath: 'sqlite3@5.1.7', stage: 'install' };
const SAID = [
	'prebuild-install warn install No prebuilt binaries found (target=6 runtime=napi arch=x64 libc= platform=linux)',
	'gyp info it worked if it ends with ok',
	'gyp ERR! find Python Python is not set from command line or npm configuration',
	'gyp ERR! configure error',
	'gyp ERR! stack Error: Could not find any Python installation to use',
	'gyp info spawn args []',
	'gyp ERR! not ok',
];

function follow(...lines: object[]) {
	const report = followPnpm(progress);
	for (const line of lines) report.onLine(JSON.stringify(line));
	return report;
}

it('P1: the reason why a native part could not be built is told, without the chatter around it', () => {
	const { problems, unbuilt } = follow(
		{ ...SCRIPT, script: 'prebuild-install -r napi || node-gyp rebuild' },
		...SAID.map((line) => ({ ...SCRIPT, line, stdio: 'stderr' })),
		{ ...SCRIPT, exitCode: 1 },
		{
			name: 'pnpm',
			level: 'error',
			err: { message: 'sqlite3@5.1.7 install: `prebuild-install -r napi || node-gyp rebuild`\nExit status 1' },
		},
	);
	expect(problems.join('\n')).toContain('Could not find any Python installation to use');
	expect(problems[0]).toBe('sqlite3@5.1.7 could not be built:');
	expect(problems.join('\n')).not.toContain('gyp info');
	expect(problems.at(-1)).toMatch(/Exit status 1$/);
	expect(unbuilt).toEqual(['sqlite3@5.1.7']);
});

it('of a long report the end is told, where the reason stands', () => {
	const lines = Array.from({ length: 500 }, (_, index) => ({ ...SCRIPT, line: `line ${index}` }));
	const { problems } = follow(...lines, { ...SCRIPT, exitCode: 1 });
	expect(problems).toHaveLength(21);
	expect(problems.at(-1)).toBe('line 499');
});

it('what a script says that ends well is no problem, and other errors name no build', () => {
	const { problems, unbuilt } = follow(
		{ ...SCRIPT, line: 'gyp ERR! once' },
		{ ...SCRIPT, exitCode: 0 },
		{ name: 'pnpm', level: 'error', err: { message: 'getaddrinfo ENOTFOUND' } },
	);
	expect([problems, unbuilt]).toEqual([['getaddrinfo ENOTFOUND'], []]);
});
