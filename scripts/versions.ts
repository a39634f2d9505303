/**
 * `npm run versions`: compares the versions in docs/development/tested-versions.md with the newest ones. It uses npm, pip and git
 * with the addresses that they are set to. An older or unknown version is no failure.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A command that prints versions, and what tests the newest of them. */
interface Source {
	command: [string, ...string[]];
	toTest: string;
}

const pip = (name: string): Source['command'] => ['python3', '-m', 'pip', 'index', 'versions', name, '--disable-pip-version-check'];
const LIVE = 'npm run live -- --url http://127.0.0.1:8188';

const SOURCES: Record<string, Source> = {
	n8n: {
		command: ['npm', 'view', 'n8n', 'version'],
		toTest: 'npx pnpm --dir test/e2e/host add --lockfile-only --save-exact n8n@VERSION && npm run test:e2e',
	},
	'n8n-core': { command: ['npm', 'view', 'n8n-core', 'version'], toTest: 'npm install --save-dev n8n-core@VERSION && npm test' },
	// No package registry has ComfyUI.
	ComfyUI: { command: ['git', 'ls-remote', '--tags', 'https://github.com/Comfy-Org/ComfyUI', 'v*'], toTest: LIVE },
	'comfy-api-proxy': { command: pip('comfy-api-proxy'), toTest: `${LIVE} --proxy http://127.0.0.1:8189` },
	'comfyui-frontend-package': {
		command: pip('comfyui-frontend-package'),
		toTest: 'add VERSION to FRONTEND_VERSIONS in test/client/graph/convert/support/recordings.ts, then npm run oracle',
	},
};
const LIMIT_MS = 30_000;

const run = promisify(execFile);
const compare = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true });
/** Whole versions only: 1.0.0-rc1 is left out. */
const versionsIn = (text: string): string[] =>
	[...text.matchAll(/(?<![\w.-])v?(\d+(?:\.\d+)+)(?![\w.-])/g)].map(([, version = '']) => version);

/** @returns the newest version, or the reason why it is unknown. */
async function findNewest([command, ...parts]: Source['command']): Promise<{ version?: string; reason: string }> {
	try {
		const { stdout } = await run(command, parts, { timeout: LIMIT_MS, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } });
		return { version: versionsIn(stdout).toSorted(compare).at(-1), reason: 'no version in the answer' };
	} catch (error) {
		const lines = String((error as { stderr?: string }).stderr ?? error).split('\n');
		return { reason: lines.find((line) => /error|fatal/i.test(line)) ?? `no answer within ${LIMIT_MS / 1000} s` };
	}
}

async function describe(line: string): Promise<string[]> {
	const [software = '', versions = '', date = ''] = line.slice(2).split(' | ');
	const source = SOURCES[software];
	if (source === undefined) throw new Error(`scripts/versions.ts has no source for ${software}`);
	const { version, reason } = await findNewest(source.command);
	if (version === undefined) return [software, versions, date, '?', `unknown: ${reason.trim()}`];
	const isOld = versionsIn(versions).every((tested) => compare(tested, version) < 0);
	return [
		software,
		versions,
		date,
		version,
		isOld ? `older than the newest. To test it: ${source.toTest.replace('VERSION', version)}` : 'current',
	];
}

async function main(): Promise<void> {
	const page = readFileSync(join(__dirname, '../docs/development/tested-versions.md'), 'utf8');
	const tested = page.split('\n').filter((line) => /^\| [\w-]+ \| \d/.test(line));
	const rows = [['Software', 'Tested with', 'Last run', 'Newest', 'Result'], ...(await Promise.all(tested.map(describe)))];
	const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
	for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

void main();
