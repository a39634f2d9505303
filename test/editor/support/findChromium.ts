import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

export const INSTALL_CHROMIUM =
	'No Chromium was found: install it (Debian and Ubuntu: `apt-get install chromium`), or set CHROMIUM_PATH to the program of a Chromium or Chrome.';

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return statSync(path).isFile();
	} catch {
		return false;
	}
}

/**
 * The program that CHROMIUM_PATH names, else the first on PATH that goes by one of the usual names.
 * @throws Error in one line: what to install, or that nothing can be started at CHROMIUM_PATH.
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
	const { CHROMIUM_PATH: chosen, PATH: path = '' } = env;
	if (chosen) {
		if (isProgram(chosen)) return chosen;
		throw new Error(`CHROMIUM_PATH names no program that can be started: ${chosen}`);
	}
	const folders = path.split(delimiter).filter((folder) => folder !== '');
	const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
	if (found === undefined) throw new Error(INSTALL_CHROMIUM);
	return found;
}
