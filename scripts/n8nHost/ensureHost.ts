import { join } from 'node:path';
import { installEnvironment } from './environment';
import { ensureInstalled } from './install';
import { engine1xFolder, hostFolder, hostNode, projectRoot } from './paths';
import { run } from './processes';

/** The one native part that is built here: without it n8n does not start. */
const LOAD_THE_DATABASE = "require('./node_modules/.pnpm/node_modules/sqlite3')";

/**
 * Installs the pinned n8n and its Node 24, unless they are there already. About two minutes and 3.4 GB the first time.
 * pnpm itself shows how far it is, and what goes wrong.
 * @throws CommandFailed when it fails.
 */
export const ensureHost = () =>
	ensureInstalled({
		title: 'n8n 2.40.7 with Node 24 (3.4 GB, once)',
		folder: hostFolder,
		pinnedBy: ['package.json', 'pnpm-lock.yaml', '.npmrc'],
		async install() {
			const pnpm = join(projectRoot, 'node_modules/pnpm/bin/pnpm.cjs');
			await run(process.execPath, [pnpm, 'install', '--frozen-lockfile'], { cwd: hostFolder, env: installEnvironment(), isShown: true });
			await run(hostNode, ['-e', LOAD_THE_DATABASE], { cwd: hostFolder });
		},
	});

/** Installs the engine of n8n 1.x on which the node suite runs once more, unless it is there already. About 240 MB. */
export const ensureEngine1x = () =>
	ensureInstalled({
		title: "n8n 1.x's engine (about 240 MB, once)",
		folder: engine1xFolder,
		pinnedBy: ['package.json', 'package-lock.json'],
		install: async () =>
			await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: engine1xFolder, env: installEnvironment() }),
	});
