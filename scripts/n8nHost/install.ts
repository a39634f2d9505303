/** Installs the pinned n8n and the engine of n8n 1.x, and this package in them. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, run } from './processes';
import { engine1xFolder, host, hostFolder, installEnvironment, isPinned, projectRoot } from './environment';

interface Installation {
	/** What is being installed, for people. */
	title: string;
	folder: string;
	/** Together these decide the content of `node_modules`. */
	pinnedBy: string[];
	/** Installs into an empty `node_modules` and proves that what is there runs. */
	install: () => Promise<void>;
}

const stampPath = (folder: string) => join(folder, 'node_modules/.complete');

async function fingerprint({ folder, pinnedBy }: Installation): Promise<string> {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const name of pinnedBy) hash.update(await readFile(join(folder, name)));
	return hash.digest('hex');
}

async function isComplete(folder: string, wanted: string): Promise<boolean> {
	return (await readFile(stampPath(folder), 'utf8').catch(() => '')) === wanted;
}

const LOCK_NAME = '.installing';
const POLL_INTERVAL_MS = 500;

/** Whether this process took the lock; the one that holds it writes its pid into it. */
async function acquireLock(lockFolder: string): Promise<boolean> {
	try {
		await mkdir(lockFolder);
	} catch {
		return false;
	}
	await writeFile(join(lockFolder, 'pid'), String(process.pid));
	return true;
}

async function holderIsAlive(lockFolder: string): Promise<boolean> {
	const pid = Number(await readFile(join(lockFolder, 'pid'), 'utf8').catch(() => ''));
	return pid > 0 && isAlive(pid);
}

/** Runs `work` while no other process installs into `folder`. If the holder of a lock has stopped, the lock is free. */
async function withInstallLock<T>(folder: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
	const lockFolder = join(folder, LOCK_NAME);
	for (let looks = 0; !(await acquireLock(lockFolder)); looks++) {
		if (looks === 0) onWait();
		await delay(POLL_INTERVAL_MS);
		if (!(await holderIsAlive(lockFolder))) await rm(lockFolder, { recursive: true, force: true });
	}
	try {
		return await work();
	} finally {
		await rm(lockFolder, { recursive: true, force: true });
	}
}

/**
 * Makes `node_modules` in `folder` match its lockfile. A complete installation is reused: its stamp is written last. An
 * incomplete or outdated one is deleted and installed again.
 * @returns whether it had to be installed.
 */
export async function ensureInstalled(installation: Installation): Promise<boolean> {
	const { folder, title } = installation;
	const wanted = await fingerprint(installation);
	if (await isComplete(folder, wanted)) return false;

	const startedAt = Date.now();
	const say = (text: string): void => console.error(`${title}: ${text}, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
	say('installing');
	return await withInstallLock(
		folder,
		() => say('another process is installing it'),
		async () => {
			if (await isComplete(folder, wanted)) return false;
			await rm(join(folder, 'node_modules'), { recursive: true, force: true });
			await installation.install();
			await writeFile(stampPath(folder), wanted);
			say('installed');
			return true;
		},
	);
}

/** The one native part that is built here: without it n8n does not start. */
const LOAD_THE_DATABASE = "require('./node_modules/.pnpm/node_modules/sqlite3')";

/**
 * Installs the pinned n8n and its Node 24, unless they are there already. About two minutes and 3.4 GB the first time.
 * pnpm itself shows how far it is, and what goes wrong. A chosen n8n is not installed.
 * @returns whether it had to be installed.
 * @throws CommandFailed when it fails. Error if the chosen folder has no n8n.
 */
export async function ensureHost(): Promise<boolean> {
	if (!isPinned) {
		if (host.main !== undefined && !existsSync(host.main))
			throw new Error(`There is no n8n at ${host.main}. Install it in TEST_N8N_FOLDER: npm install n8n`);
		return false;
	}
	return await ensureInstalled({
		title: `${host.title} (3.4 GB, once)`,
		folder: hostFolder,
		pinnedBy: ['package.json', 'pnpm-lock.yaml', '.npmrc'],
		async install() {
			const pnpm = join(projectRoot, 'node_modules/pnpm/bin/pnpm.cjs');
			await run(process.execPath, [pnpm, 'install', '--frozen-lockfile'], { cwd: hostFolder, env: installEnvironment(), isShown: true });
			await run(host.command[0], ['-e', LOAD_THE_DATABASE], { cwd: hostFolder });
		},
	});
}

/** Installs the engine of n8n 1.x on which the node suite runs once more, unless it is there already. About 240 MB. */
export const ensureEngine1x = () =>
	ensureInstalled({
		title: "n8n 1.x's engine (about 240 MB, once)",
		folder: engine1xFolder,
		pinnedBy: ['package.json', 'package-lock.json'],
		install: async () =>
			await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: engine1xFolder, env: installEnvironment() }),
	});

const PACKAGE_NAME = 'n8n-nodes-comfy';

/** Packs the package as it would be published, with what the last build has made; returns the tarball's path in `folder`. */
export async function packAsBuilt(folder: string): Promise<string> {
	await mkdir(folder, { recursive: true });
	await run('npm', ['pack', '--pack-destination', folder], { cwd: projectRoot, env: installEnvironment() });
	const tarball = (await readdir(folder)).find((name) => name.startsWith(`${PACKAGE_NAME}-`) && name.endsWith('.tgz'));
	if (!tarball) throw new Error(`npm pack left no ${PACKAGE_NAME}-*.tgz in ${folder}`);
	return join(folder, tarball);
}

/**
 * Builds the package and packs it as for publication. With PACK_AS_BUILT, it does not build: a build clears `dist`, which other
 * processes may be packing. @returns the path of the tarball in `folder`.
 */
export async function packPackage(folder: string): Promise<string> {
	if (process.env.PACK_AS_BUILT) return await packAsBuilt(folder);
	// By name: this project lets npm run no script on its own, and `prepack` is one of those.
	await run('npm', ['run', 'build'], { cwd: projectRoot, env: installEnvironment() });
	return await packAsBuilt(folder);
}

/** Where the n8n of `userFolder` has this package. */
export const packageFolderOf = (userFolder: string): string => join(userFolder, '.n8n/nodes/node_modules', PACKAGE_NAME);

/**
 * Installs the tarball for the n8n of `userFolder`, step by step as n8n's own installer does for a package a user
 * chooses (community-packages.service, downloadPackage); n8n loads it when it starts next.
 */
export async function installPackage(userFolder: string, tarball: string): Promise<void> {
	const packageFolder = packageFolderOf(userFolder);
	await rm(packageFolder, { recursive: true, force: true });
	await mkdir(packageFolder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', packageFolder, '--strip-components=1'], { cwd: packageFolder });

	const manifestPath = join(packageFolder, 'package.json');
	const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as Record<string, unknown>;
	for (const left of ['devDependencies', 'peerDependencies', 'optionalDependencies']) delete manifest[left];
	await writeFile(manifestPath, JSON.stringify(manifest, null, 2));

	const flags = [
		'--audit=false',
		'--fund=false',
		'--bin-links=false',
		'--install-strategy=shallow',
		'--ignore-scripts=true',
		'--package-lock=false',
	];
	await run('npm', ['install', ...flags], { cwd: packageFolder, env: installEnvironment() });
}
