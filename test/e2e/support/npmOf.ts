import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { installEnvironment } from '../../../scripts/n8nHost/environment';
import { hostBinFolder, hostNode } from '../../../scripts/n8nHost/paths';

/**
 * n8n takes packages from another registry than npm's own only with a licence. It finds npm on its PATH: there stands one
 * that asks `registry`, except for what a package depends on, which it gets from where this machine has its packages from.
 * @returns n8n's settings.
 */
export function npmOf(registry: string, folder: string): NodeJS.ProcessEnv {
	const lines = [
		'#!/bin/sh',
		'for arg; do',
		'  shift',
		'  case "$arg" in --registry=*) ;; *) set -- "$@" "$arg" ;; esac',
		'done',
		`[ "$1" = install ] || set -- "$@" --registry=${registry}`,
		`PATH=$PATH_OF_NPM exec npm "$@"`,
	];
	mkdirSync(folder);
	writeFileSync(join(folder, 'npm'), `${lines.join('\n')}\n`, { mode: 0o755 });
	const settings = Object.entries(installEnvironment()).filter(([name]) => name.startsWith('npm_'));
	return {
		...Object.fromEntries(settings),
		PATH_OF_NPM: process.env.PATH,
		PATH: [folder, dirname(hostNode), hostBinFolder, process.env.PATH].join(delimiter),
	};
}
