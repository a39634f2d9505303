import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installEnvironment } from './environment';
import { projectRoot } from './paths';
import { run } from './processes';

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
 * Builds the package and packs it as it would be published; returns the tarball's path in `folder`. With PACK_AS_BUILT, where
 * several processes pack at once, it is not built anew: a build begins by clearing `dist`.
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
