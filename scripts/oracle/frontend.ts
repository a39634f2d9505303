import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { projectRoot } from '../n8nHost/paths';
import { CommandFailed, run } from '../n8nHost/processes';

/** The frontend that belongs to ComfyUI 0.33.0, whose definitions the recordings hold. */
export const FRONTEND_VERSION = '1.49.6';

const PACKAGE = `comfyui-frontend-package==${FRONTEND_VERSION}`;
const NEEDED = `The oracle is the Python package ${PACKAGE}: it needs python3 with pip, and the Python package index, once.`;

/** The built files of ComfyUI's own frontend, taken from its package once. It is run, and no file of it is kept here. */
export async function ensureFrontend(): Promise<string> {
	const folder = join(projectRoot, '.cache/oracle');
	const whole = join(folder, `frontend-${FRONTEND_VERSION}`);
	const files = join(whole, 'comfyui_frontend_package/static');
	if (existsSync(files)) return files;
	const wheels = join(folder, 'wheels');
	const partial = `${whole}.${process.pid}`;
	await mkdir(wheels, { recursive: true });
	try {
		await run('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', PACKAGE, '--dest', wheels], {
			cwd: folder,
		});
		const wheel = (await readdir(wheels)).find((name) => name.includes(`-${FRONTEND_VERSION}-`)) ?? '';
		await run('python3', ['-m', 'zipfile', '--extract', join(wheels, wheel), partial], { cwd: folder });
		if (!existsSync(files)) await rename(partial, whole);
	} catch (error) {
		throw error instanceof CommandFailed ? new Error(`${NEEDED}\n${error.message}`) : error;
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return files;
}
