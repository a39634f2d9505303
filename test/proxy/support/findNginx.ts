import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian keeps nginx in a folder that is not on the PATH of every user. */
const SYSTEM_FOLDER = '/usr/sbin';

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** @throws Error in one line if nginx is not installed. */
export function findNginx({ PATH: path = '' }: NodeJS.ProcessEnv = process.env): string {
	const found = [...path.split(delimiter).filter(Boolean), SYSTEM_FOLDER].map((folder) => join(folder, 'nginx')).find(isProgram);
	if (found === undefined)
		throw new Error('These tests start an nginx: install it (Debian and Ubuntu: `apt-get install nginx-light`). Its service need not run.');
	return found;
}
