import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';
import { CommandFailed, run } from '../n8nHost/processes';

/** The built files of a version of ComfyUI's own frontend, downloaded once from its Python package. No file of it is kept in this project. */
export async function ensureFrontend(version: string): Promise<string> {
	const wanted = `comfyui-frontend-package==${version}`;
	const folder = join(projectRoot, '.cache/oracle');
	const whole = join(folder, `frontend-${version}`);
	const files = join(whole, 'comfyui_frontend_package/static');
	if (existsSync(files)) return files;
	const wheels = join(folder, 'wheels');
	const partial = `${whole}.${process.pid}`;
	await mkdir(wheels, { recursive: true });
	try {
		await run('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', wanted, '--dest', wheels], {
			cwd: folder,
		});
		const wheel = (await readdir(wheels)).find((name) => name.includes(`-${version}-`)) ?? '';
		await run('python3', ['-m', 'zipfile', '--extract', join(wheels, wheel), partial], { cwd: folder });
		if (!existsSync(files)) await rename(partial, whole);
	} catch (error) {
		if (!(error instanceof CommandFailed)) throw error;
		throw new Error(
			`The oracle needs the Python package ${wanted}, python3 with pip, and once the Python package index.\n${error.message}`,
		);
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return files;
}
