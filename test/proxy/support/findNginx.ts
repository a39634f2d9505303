import { findProgram, foldersOn } from '../../support/programs';

/** Debian keeps nginx in a folder that is not on the PATH of every user. */
const SYSTEM_FOLDER = '/usr/sbin';

/** @throws Error in one line if nginx is not installed. */
export function findNginx(env: NodeJS.ProcessEnv = process.env): string {
	const found = findProgram('nginx', [...foldersOn(env), SYSTEM_FOLDER]);
	if (found === undefined)
		throw new Error('These tests start an nginx: install it (Debian and Ubuntu: `apt-get install nginx-light`). Its service need not run.');
	return found;
}
