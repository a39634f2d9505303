import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installEnvironment } from './environment';
import { projectRoot } from './paths';
import { run } from './processes';

const PACKAGE_NAME = 'n8n-nodes-comfy';

/** Builds the package and packs it as it would be published; returns the tarball's path in `folder`. */
export async function packPackage(folder: string): Promise<string> {
	await mkdir(folder, { recursive: true });
	// By name: this project lets npm run no script on its own, and `prepack` is one of those.
	await run('npm', ['run', 'build'], { cwd: projectRoot, env: installEnvironment() });
	await run('npm', ['pack', '--pack-destination', folder], { cwd: projectRoot, env: installEnvironment() });
	const tarball = (await readdir(folder)).find((name) => name.startsWith(`${PACKAGE_NAME}-`) && name.endsWith('.tgz'));
	if (!tarball) throw new Error(`npm pack left no ${PACKAGE_NAME}-*.tgz in ${folder}`);
	return join(folder, tarball);
}

/**
 * Installs the tarball for the n8n of `userFolder`, step by step as n8n's own installer does for a package a user
 * chooses (community-packages.service, downloadPackage); n8n loads it when it starts next.
 */
export async function installPackage(userFolder: string, tarball: string): Promise<void> {
	const nodesFolder = join(userFolder, '.n8n/nodes');
	const packageFolder = join(nodesFolder, 'node_modules', PACKAGE_NAME);
	await rm(packageFolder, { recursive: true, force: true });
	await mkdir(packageFolder, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', packageFolder, '--strip-components=1'], { cwd: nodesFolder });

	const manifestPath = join(packageFolder, 'package.json');
	const manifest = JSON.parse(await readFile(manifestPath, 'utf8')) as Record<string, unknown>;
	for (const left of ['devDependencies', 'peerDependencies', 'optionalDependencies']) delete manifest[left];
	await writeFile(manifestPath, JSON.stringify(manifest, null, 2));

	const flags = ['--audit=false', '--fund=false', '--bin-links=false', '--install-strategy=shallow', '--ignore-scripts=true', '--package-lock=false'];
	await run('npm', ['install', ...flags], { cwd: packageFolder, env: installEnvironment() });
}
