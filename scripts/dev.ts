/** `npm run dev`: a real n8n that has this package and loads each change to it. Its data is kept in `.cache/dev`. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER } from './n8nHost/rest';
import { ensureHost, installPackage, packageFolderOf, packAsBuilt } from './n8nHost/install';
import { portNear, untilInterrupted } from './n8nHost/processes';
import { projectRoot } from './n8nHost/environment';
import { startN8n } from './n8nHost/startN8n';
import { watchAssets, watchSources } from './dev/watch';

/** n8n's default port, so that an open editor finds it again. */
const USUAL_PORT = 5678;

/** In development mode, n8n reloads a package when one of its files changes. */
const HOT_RELOAD = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };

interface DevOptions {
	/** What is watched: `client`, `nodes`, `credentials` and `icons` in it, with its `tsconfig.json`. */
	root: string;
	/** n8n's data, which later runs with the same folder reuse. */
	userFolder: string;
	say: (text: string) => void;
}

/** Installs the package and its dependencies without `dist`. @returns the path for the built files. */
async function install(userFolder: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'comfy-dev-'));
	try {
		await installPackage(userFolder, await packAsBuilt(folder));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	const built = join(packageFolderOf(userFolder), 'dist');
	await rm(built, { recursive: true, force: true });
	return built;
}

function watchAll(root: string, outFolder: string, say: (text: string) => void): () => void {
	const onBuilt = (errors: number): void => say(errors === 0 ? 'Built' : `Built, with ${errors} errors`);
	const ends = [watchAssets(root, outFolder), watchSources({ config: join(root, 'tsconfig.json'), outFolder, onProblem: say, onBuilt })];
	return () => ends.forEach((end) => end());
}

/** Starts an n8n with this package, and builds every change into it. */
async function startDev({ root, userFolder, say }: DevOptions) {
	await mkdir(userFolder, { recursive: true });
	const endWatching = watchAll(root, await install(userFolder), say);
	try {
		const n8n = await startN8n({ userFolder, port: await portNear(USUAL_PORT), env: HOT_RELOAD });
		const stop = async (): Promise<void> => {
			endWatching();
			await n8n.stop();
		};
		return { n8n, stop };
	} catch (error) {
		endWatching();
		throw error;
	}
}

const say = (text: string): void => console.log(`${new Date().toLocaleTimeString('en-GB')}  ${text}`);

async function dev(): Promise<void> {
	const interrupted = untilInterrupted();
	await ensureHost();
	say('Building, and starting n8n');
	const { n8n, stop } = await startDev({ root: projectRoot, userFolder: join(projectRoot, '.cache/dev'), say });
	say(`${n8n.url} is open and shows every change. Login ${OWNER.email}, password ${OWNER.password}; Ctrl-C ends it`);
	await interrupted;
	say('Ending n8n');
	await stop();
}

dev().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
