import { join } from 'node:path';
import { installEnvironment } from './environment';
import { ensureInstalled } from './install';
import { engine1xFolder, hostFolder, hostNode, projectRoot } from './paths';
import { followPnpm } from './pnpmReport';
import { BuildFailed, CommandFailed, run } from './processes';

/** The one native part that is built here: without it n8n does not start. */
const LOAD_THE_DATABASE = "require('./node_modules/.pnpm/node_modules/sqlite3')";

/**
 * Installs the pinned n8n and its Node 24, unless they are there already. About two minutes and 3.4 GB the first time.
 * @throws BuildFailed, or CommandFailed with what pnpm said.
 */
export const ensureHost = () =>
	ensureInstalled({
		title: 'n8n 2.40.7 with Node 24 (3.4 GB, once)',
		folder: hostFolder,
		pinnedBy: ['package.json', 'pnpm-lock.yaml', '.npmrc'],
		async install(progress) {
			const env = installEnvironment();
			const { onLine, problems, unbuilt } = followPnpm(progress);
			const pnpm = join(projectRoot, 'node_modules/pnpm/bin/pnpm.cjs');
			try {
				await run(process.execPath, [pnpm, 'install', '--frozen-lockfile', '--reporter=ndjson'], { cwd: hostFolder, env, onLine });
			} catch (error) {
				if (!(error instanceof CommandFailed)) throw error;
				const Failure = unbuilt.length > 0 ? BuildFailed : CommandFailed;
				throw new Failure('pnpm install', error.reason, problems.join('\n') || error.output);
			}
			progress.show('trying it');
			await run(hostNode, ['-e', LOAD_THE_DATABASE], { cwd: hostFolder });
		},
	});

/** Installs the engine of n8n 1.x on which the node suite runs once more, unless it is there already. About 240 MB. */
export const ensureEngine1x = () =>
	ensureInstalled({
		title: "n8n 1.x's engine (about 240 MB, once)",
		folder: engine1xFolder,
		pinnedBy: ['package.json', 'package-lock.json'],
		async install(progress) {
			progress.show('installing');
			await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: engine1xFolder, env: installEnvironment() });
		},
	});
