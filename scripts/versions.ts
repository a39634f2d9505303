/**
 * `npm run versions`: compares the versions in docs/development/tested-versions.md with the newest versions. It prints the
 * command that tests a newer version. `-- --strict` ends with exit code 1 if a tested version is old.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from './n8nHost/environment';
import { compareWithNewest, describeComparisons, exitCodeOf, type Newest, readTestedVersions } from './versions/compare';
import { newestComfyUi, newestInPip, newestOnNpm } from './versions/newest';

const USAGE = 'Usage: npm run versions -- [--comfyui FOLDER|ADDRESS] [--strict]';
const EXIT_BAD_USAGE = 2;

interface Source {
	newest: (comfyui: string | undefined) => Promise<Newest>;
	/** What tests the newest version. */
	command: (version: string) => string;
}

const LIVE = 'npm run live -- --url http://127.0.0.1:8188';

const SOURCES: Record<string, Source> = {
	n8n: {
		newest: async () => await newestOnNpm('n8n'),
		command: (version) => `npx pnpm --dir test/e2e/host add --lockfile-only --save-exact n8n@${version} && npm run test:e2e`,
	},
	'n8n-core': {
		newest: async () => await newestOnNpm('n8n-core'),
		command: (version) => `npm install --save-dev n8n-core@${version} && npm test`,
	},
	ComfyUI: { newest: newestComfyUi, command: () => LIVE },
	'comfy-api-proxy': {
		newest: async () => await newestInPip('comfy-api-proxy'),
		command: () => `${LIVE} --proxy http://127.0.0.1:8189`,
	},
	'comfyui-frontend-package': {
		newest: async () => await newestInPip('comfyui-frontend-package'),
		command: (version) => `Add ${version} to FRONTEND_VERSIONS in recordings.ts, then: npm run oracle`,
	},
};

async function main(): Promise<number> {
	const options = { comfyui: { type: 'string' }, strict: { type: 'boolean', default: false } } as const;
	const { comfyui, strict } = parseArgs({ options }).values;
	const tested = readTestedVersions(readFileSync(join(projectRoot, 'docs/development/tested-versions.md'), 'utf8'));
	const comparisons = await Promise.all(
		tested.map(async (row) => {
			const source = SOURCES[row.software];
			if (source === undefined) return compareWithNewest(row, { problem: 'scripts/versions.ts does not know where to look' }, '');
			const newest = await source.newest(comfyui);
			return compareWithNewest(row, newest, 'version' in newest ? source.command(newest.version) : '');
		}),
	);
	console.log(describeComparisons(comparisons));
	return exitCodeOf(comparisons, strict);
}

void main().then(
	(exitCode) => (process.exitCode = exitCode),
	(error: unknown) => {
		console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
		process.exitCode = EXIT_BAD_USAGE;
	},
);
