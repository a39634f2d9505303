/** `npm run dev`: a real n8n that has this package and loads each change to it. Its data is kept in `.cache/dev`. */
import { readdirSync, watch } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OWNER } from './n8nHost/rest';
import { ensureHost, installPackage, packageFolderOf, packPackage } from './n8nHost/install';
import { portNear, run, untilInterrupted } from './n8nHost/processes';
import { projectRoot } from './n8nHost/environment';
import { startN8n } from './n8nHost/startN8n';

/** n8n's default port, so that an open editor finds it again. */
const USUAL_PORT = 5678;
/** In development mode, n8n reloads a package when one of its files changes. */
const HOT_RELOAD = { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' };
const WATCHED = ['client', 'nodes', 'credentials', 'icons'];
/** An editor saves several files one after the other. */
const QUIET_MS = 200;

const say = (text: string): void => console.log(`${new Date().toLocaleTimeString('en-GB')}  ${text}`);

async function install(userFolder: string): Promise<void> {
	await mkdir(userFolder, { recursive: true });
	const folder = await mkdtemp(join(tmpdir(), 'comfy-dev-'));
	try {
		await installPackage(userFolder, await packPackage(folder));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Builds the package into the n8n of `userFolder`. */
async function build(userFolder: string): Promise<void> {
	try {
		await run('npm', ['run', 'build'], { cwd: projectRoot });
		await cp(join(projectRoot, 'dist'), join(packageFolderOf(userFolder), 'dist'), { recursive: true });
		say('Built');
	} catch (error) {
		say(error instanceof Error ? error.message : String(error));
	}
}

/** All folders below a folder. A recursive watch of Node 20 loses files that an editor replaces, so each folder has its own. */
const foldersIn = (folder: string): string[] => [
	folder,
	...readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.map(({ parentPath, name }) => join(parentPath, name)),
];

/** Calls `onChange` for each change, one call after the other. */
function watchSources(onChange: () => Promise<void>): void {
	let timer: NodeJS.Timeout | undefined;
	let last = Promise.resolve();
	for (const folder of WATCHED.flatMap((name) => foldersIn(join(projectRoot, name)))) {
		watch(folder, () => {
			clearTimeout(timer);
			timer = setTimeout(() => (last = last.then(onChange)), QUIET_MS);
		});
	}
}

async function dev(): Promise<void> {
	const interrupted = untilInterrupted();
	await ensureHost();
	say('Building, and starting n8n');
	const userFolder = join(projectRoot, '.cache/dev');
	await install(userFolder);
	const n8n = await startN8n({ userFolder, port: await portNear(USUAL_PORT), env: HOT_RELOAD });
	watchSources(async () => await build(userFolder));
	say(`${n8n.url} is open and shows every change. Login ${OWNER.email}, password ${OWNER.password}; Ctrl-C ends it`);
	await interrupted;
	say('Ending n8n');
	await n8n.stop();
}

dev().then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
